/* Every look of the renderer as a PNG, and the time a frame takes: pictures to be looked at, numbers to be kept.
   Usage: render_showcase DIRECTORY [pictures|times] */
#define _POSIX_C_SOURCE 200809L
#include "render.h"
#include "shapes.h"
#include "sheet.h"
#include "video.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static render_error error;
static const char *folder;

static void check(bool good)
{
    if (good)
        return;
    fprintf(stderr, "render_showcase: %s\n", error.text);
    exit(1);
}

typedef struct stage {
    render *r;
    render_target *target;
    sheet cloth;
    render_mesh *cloth_mesh, *ball_mesh;
    render_cloth look;
    render_body ball;
    render_view view;
} stage;

static const float RADIUS = 0.42f, THICKNESS = 0.004f;
static const float CENTRE[3] = {0.0f, 0.80f, 0.0f};

static render_mesh *upload(render *r, const sheet *s)
{
    render_mesh *mesh = render_mesh_create(r,
                                           &(render_mesh_def){.vertex_count = s->vertex_count,
                                                              .triangle_count = s->triangle_count,
                                                              .positions = s->positions,
                                                              .uvs = s->uvs,
                                                              .triangles = s->triangles,
                                                              .link_count = s->link_count,
                                                              .links = s->links,
                                                              .link_kinds = s->kinds},
                                           &error);
    check(mesh != NULL);
    return mesh;
}

static stage open_stage(render *r, int side, int width, int height, int samples)
{
    stage s = {.r = r, .view = render_view_default(), .look = render_cloth_default(), .ball = render_body_default()};
    s.target = render_target_create(r, width, height, samples, &error);
    check(s.target != NULL);
    s.cloth = sheet_create(side);
    sheet_drape(&s.cloth, 1.9f, CENTRE, RADIUS + THICKNESS, 0.0f);
    s.cloth_mesh = upload(r, &s.cloth);
    render_mesh_scalars(s.cloth_mesh, s.cloth.values, 1);
    s.ball_mesh = render_shape(r, "sphere", (tl_vec3){RADIUS, 0, 0}, 64, NULL, &error);
    check(s.ball_mesh != NULL);
    s.look.mesh = s.cloth_mesh;
    s.look.size[0] = s.look.size[1] = 1.9f;
    s.ball.mesh = s.ball_mesh;
    render_transform(s.ball.transform, CENTRE, NULL);
    s.ball.contact_offset = render_contact_offset(1.9f / (float)side * 1.414f, RADIUS, THICKNESS);
    s.view.floor.contact_offset = THICKNESS;
    render_scene scene = {&s.look, 1, &s.ball, 1};
    float low[3], high[3];
    render_scene_bounds(&scene, low, high);
    low[1] = 0.0f;
    camera_frame_bounds(&s.view.cam, low, high, (float)width / (float)height, 0.12f);
    return s;
}

static void close_stage(stage *s)
{
    render_mesh_destroy(s->cloth_mesh);
    render_mesh_destroy(s->ball_mesh);
    render_target_destroy(s->target);
    sheet_destroy(&s->cloth);
}

static void save(stage *s, const char *name)
{
    render_scene scene = {&s->look, 1, &s->ball, 1};
    check(render_draw(s->r, s->target, &scene, &s->view, &error));
    int width = render_target_width(s->target), height = render_target_height(s->target);
    uint8_t *rgba = malloc((size_t)width * (size_t)height * 4);
    render_target_read(s->target, rgba);
    char path[512];
    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    check(image_write_png(path, width, height, rgba, &error));
    free(rgba);
}

static void pictures_of_looks(stage *s)
{
    for (int look = 0; look < RENDER_LOOK_COUNT; ++look)
        for (int shading = 0; shading < 2; ++shading) {
            char name[64];
            snprintf(name, sizeof name, "%s-%s", render_look_names[look], shading ? "phong" : "physical");
            s->look.look = (render_look)look;
            s->view.shading = shading ? RENDER_PHONG : RENDER_PHYSICAL;
            if (look != RENDER_WIREFRAME || shading == 0)
                save(s, name);
        }
    s->view.shading = RENDER_PHYSICAL;
    s->look.look = RENDER_FABRIC;
}

static void pictures_of_options(stage *s)
{
    render_view view = s->view;
    render_cloth look = s->look;
    s->look.overlay = true;
    s->view.overlay = (render_overlay){.legend = true, .low = 0.0f, .high = 12.5f, .title = "strain", .unit = "%"};
    for (int i = 0; i < s->cloth.vertex_count; ++i)
        s->cloth.values[i] *= 12.5f;
    render_mesh_scalars(s->cloth_mesh, s->cloth.values, 2);
    save(s, "overlay");
    s->look.look = RENDER_WIREFRAME;
    s->view.overlay.title = "force";
    s->view.overlay.unit = "N/m²";
    s->view.labels = &(render_label){.x = 24,
                                     .y = 24,
                                     .size = 16,
                                     .colour = {0.2f, 0.22f, 0.26f},
                                     .text = "xpbd · 71 × 71 particles, ρ = 0.2 kg/m² (ABC xyz 0123456789)"};
    s->view.label_count = 1;
    s->view.axes = 0.5f;
    save(s, "overlay-wireframe");
    s->look = look;
    s->view = view;
    s->look.stripe_width[0] = s->look.stripe_width[1] = 0.06f;
    save(s, "gingham");
    s->look = look;
    s->view.key.on = false;
    s->view.spot.on = true;
    for (int i = 0; i < 4; ++i)
        s->view.points[i].on = true;
    s->view.ambient.intensity = 0.2f;
    s->view.fog = 0.1f;
    save(s, "spot-and-points-fog");
    s->view = view;
    camera_orbit(&s->view.cam, 0.6f, -0.75f);
    save(s, "from-below");
    s->view = view;
    camera_orbit(&s->view.cam, 2.6f, -0.1f);
    save(s, "against-the-light");
    s->view = view;
    s->view.cam =
        (camera){.position = {-0.25f, 1.15f, 1.0f}, .target = {0.05f, 0.86f, 0.40f}, .up = {0, 1, 0}, .fov_y = 0.5f};
    save(s, "close-up");
    s->look.weave = RENDER_WEAVE_TWILL;
    camera_zoom(&s->view.cam, 0.4f);
    save(s, "closer-twill");
    s->look = look;
    s->view = view;
}

static void pictures_of_contact(render *r)
{
    stage s = open_stage(r, 15, 1280, 720, 4);
    s.look.colour[0] = 0.72f, s.look.colour[1] = 0.33f, s.look.colour[2] = 0.28f;
    s.look.threads_per_metre = 0.0f;
    save(&s, "contact-coarse");
    s.ball.contact_offset = 0.0f;
    save(&s, "contact-coarse-without-offset");
    s.ball.contact_offset = render_contact_offset(1.9f / 15.0f * 1.414f, RADIUS, THICKNESS);
    sheet_flat(&s.cloth, 1.2f, THICKNESS);
    render_mesh_update(s.cloth_mesh, s.cloth.positions, NULL, 2);
    save(&s, "contact-floor");
    close_stage(&s);
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of some frames: update + draw + read back, in ms. Processor time counts all threads: on a busy machine it
   says more than the wall clock. */
static void time_frames(stage *s, const char *what, int frames)
{
    render_scene scene = {&s->look, 1, &s->ball, 1};
    int width = render_target_width(s->target), height = render_target_height(s->target);
    uint8_t *rgba = malloc((size_t)width * (size_t)height * 4);
    double wall = 1e9, processor = 1e9;
    for (int frame = 0; frame <= frames; ++frame) {
        double wall_start = now(CLOCK_MONOTONIC), processor_start = now(CLOCK_PROCESS_CPUTIME_ID);
        render_mesh_update(s->cloth_mesh, s->cloth.positions, NULL, 0);
        check(render_draw(s->r, s->target, &scene, &s->view, &error));
        render_target_read(s->target, rgba);
        wall = fmin(wall, now(CLOCK_MONOTONIC) - wall_start);
        processor = fmin(processor, now(CLOCK_PROCESS_CPUTIME_ID) - processor_start);
    }
    free(rgba);
    printf("%-52s wall %7.1f ms, processor %7.1f ms\n", what, 1e3 * wall, 1e3 * processor);
}

static void times(render *r)
{
    printf("%s; 1280 x 720, best frame, read back included\n", render_device(r));
    static const int samples[3] = {0, 2, 4};
    for (int i = 0; i < 3; ++i) {
        stage s = open_stage(r, 71, 1280, 720, samples[i]);
        char what[64];
        snprintf(what, sizeof what, "71 x 71, samples %d, default", samples[i]);
        time_frames(&s, what, 6);
        s.view.quality = render_quality_interactive();
        snprintf(what, sizeof what, "71 x 71, samples %d, interactive", samples[i]);
        time_frames(&s, what, 12);
        close_stage(&s);
    }
    stage s = open_stage(r, 355, 1280, 720, 4);
    time_frames(&s, "250 632 triangles, samples 4, default", 4);
    close_stage(&s);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    bool only_pictures = argc > 2 && strcmp(argv[2], "pictures") == 0, only_times = argc > 2 && !only_pictures;
    render *r = render_headless_create(&(render_def){.debug = !only_times}, &error);
    check(r != NULL);
    if (!only_times) {
        stage s = open_stage(r, 71, 1280, 720, 4);
        pictures_of_looks(&s);
        pictures_of_options(&s);
        close_stage(&s);
        pictures_of_contact(r);
    }
    if (!only_pictures)
        times(r);
    int errors = render_gl_errors(r);
    printf("GL errors: %d\n", errors);
    render_destroy(r);
    return errors ? 1 : 0;
}
