/* Properties of a picture, checked on its pixels: headless, in a debug context, zero GL errors after every test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render.h"
#include "shapes.h"
#include "sheet.h"
#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 180, PIXELS = WIDTH * HEIGHT };

static render *r;
static render_target *target;
static uint8_t picture[PIXELS * 4];
static render_error error;

static const float RADIUS = 0.4f, THICKNESS = 0.004f;
static const float CENTRE[3] = {0.0f, 0.8f, 0.0f};

static render_mesh *upload(const sheet *s)
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
    assert_non_null(mesh);
    return mesh;
}

static void draw(const render_cloth *cloth, const render_body *body, const render_view *view)
{
    render_scene scene = {cloth, cloth ? 1 : 0, body, body ? 1 : 0};
    bool good = render_draw(r, target, &scene, view, &error);
    if (!good)
        print_error("%s\n", error.text);
    assert_true(good);
    render_target_read(target, picture);
}

static const uint8_t *pixel_at(const render_view *view, float x, float y, float z)
{
    const float point[3] = {x, y, z};
    float at[2], depth;
    assert_true(camera_project(&view->cam, point, WIDTH, HEIGHT, at, &depth));
    assert_true(at[0] >= 0.0f && at[0] < WIDTH && at[1] >= 0.0f && at[1] < HEIGHT);
    return picture + 4 * ((int)at[1] * WIDTH + (int)at[0]);
}

static int brightness(const uint8_t *p) { return p[0] + p[1] + p[2]; }

static bool is_red(const uint8_t *p) { return p[0] > p[1] + 30 && p[0] > p[2] + 30; }

static bool is_green(const uint8_t *p) { return p[1] > p[0] + 30 && p[1] > p[2] + 30; }

static void set_colour(float colour[3], float red, float green, float blue)
{
    colour[0] = red, colour[1] = green, colour[2] = blue;
}

/* A camera at a position looking at a point. */
static render_view view_from(float x, float y, float z, float target_y)
{
    render_view view = render_view_default();
    view.cam.position[0] = x, view.cam.position[1] = y, view.cam.position[2] = z;
    set_colour(view.cam.target, 0.0f, target_y, 0.0f);
    return view;
}

static render_cloth red_cloth(const render_mesh *mesh)
{
    render_cloth cloth = render_cloth_default();
    cloth.mesh = mesh;
    cloth.look = RENDER_PLAIN;
    set_colour(cloth.colour, 0.8f, 0.15f, 0.12f);
    set_colour(cloth.back_colour, 0.15f, 0.75f, 0.15f);
    return cloth;
}

static void an_empty_scene_shows_floor_and_backdrop(void **state)
{
    (void)state;
    render_view view = view_from(1.0f, 1.0f, 3.0f, 0.3f);
    draw(NULL, NULL, &view);
    assert_true(brightness(picture) > 400); // a light studio
    int lowest = 765, highest = 0;
    for (int i = 0; i < PIXELS; ++i) {
        lowest = brightness(picture + 4 * i) < lowest ? brightness(picture + 4 * i) : lowest;
        highest = brightness(picture + 4 * i) > highest ? brightness(picture + 4 * i) : highest;
        assert_int_equal(picture[4 * i + 3], 255);
    }
    assert_true(highest - lowest > 10);
}

static void cloth_covers_the_pixels_it_projects_to_and_no_others(void **state)
{
    (void)state;
    sheet s = sheet_create(9);
    sheet_flat(&s, 1.0f, 0.5f);
    render_mesh *mesh = upload(&s);
    render_cloth cloth = red_cloth(mesh);
    render_view view = view_from(0.0f, 2.0f, 2.0f, 0.5f);
    draw(&cloth, NULL, &view);
    for (int k = 0; k < 25; ++k) {
        float x = 0.24f * (float)(k % 5 - 2), z = 0.24f * (float)(k / 5 - 2);
        assert_true(is_red(pixel_at(&view, x, 0.5f, z)));
    }
    assert_false(is_red(pixel_at(&view, 0.53f, 0.5f, 0.0f)));
    assert_false(is_red(pixel_at(&view, -0.53f, 0.5f, 0.0f)));
    assert_false(is_red(pixel_at(&view, 0.0f, 0.5f, 0.53f)));
    render_mesh_destroy(mesh);
    sheet_destroy(&s);
}

static void the_back_side_is_lit_in_its_own_colour(void **state)
{
    (void)state;
    sheet s = sheet_create(9);
    sheet_flat(&s, 1.0f, 0.5f);
    render_mesh *mesh = upload(&s);
    render_cloth cloth = red_cloth(mesh);
    for (int phong = 0; phong < 2; ++phong) {
        render_view view = view_from(0.0f, -1.0f, 2.0f, 0.5f);
        view.shading = phong ? RENDER_PHONG : RENDER_PHYSICAL;
        draw(&cloth, NULL, &view);
        assert_true(is_green(pixel_at(&view, 0.0f, 0.5f, 0.0f)));
        assert_true(brightness(pixel_at(&view, 0.0f, 0.5f, 0.0f)) > 90);
        // light that comes from that side makes it brighter still
        int before = brightness(pixel_at(&view, 0.0f, 0.5f, 0.0f));
        set_colour(view.key.direction, 0.0f, 1.0f, -0.3f);
        draw(&cloth, NULL, &view);
        assert_true(brightness(pixel_at(&view, 0.0f, 0.5f, 0.0f)) > before + 40);
    }
    render_mesh_destroy(mesh);
    sheet_destroy(&s);
}

static void the_shadow_darkens_the_floor_and_nothing_else(void **state)
{
    (void)state;
    render_mesh *mesh = render_shape(r, "sphere", (tl_vec3){(tl_real)0.3, 0, 0}, 32, NULL, &error);
    render_body ball = render_body_default();
    ball.mesh = mesh;
    render_transform(ball.transform, (const float[3]){0.0f, 0.8f, 0.0f}, NULL);
    for (int taps = 4; taps <= 16; taps += taps == 4 ? 5 : 7) {
        render_view view = view_from(0.5f, 1.8f, 3.0f, 0.3f);
        view.ambient.occlusion = false;
        view.floor.grid = false;
        view.quality.shadow_taps = taps;
        set_colour(view.key.direction, 1.0f, -1.0f, 0.0f);
        draw(NULL, &ball, &view);
        int shaded = brightness(pixel_at(&view, 0.8f, 0.0f, 0.0f)),
            free_floor = brightness(pixel_at(&view, -0.8f, 0.0f, 0.0f));
        int crown = brightness(pixel_at(&view, -0.12f, 1.05f, 0.0f));
        assert_true(free_floor - shaded > 80);
        view.key.shadow = false;
        draw(NULL, &ball, &view);
        assert_true(abs(brightness(pixel_at(&view, 0.8f, 0.0f, 0.0f)) - free_floor) < 12);
        assert_true(abs(brightness(pixel_at(&view, -0.12f, 1.05f, 0.0f)) - crown) < 12); // no acne on the lit side
    }
    render_mesh_destroy(mesh);
}

static void a_lit_sheet_has_no_shadow_acne(void **state)
{
    (void)state;
    sheet s = sheet_create(40);
    sheet_flat(&s, 1.6f, 0.5f);
    render_mesh *mesh = upload(&s);
    render_cloth cloth = red_cloth(mesh);
    render_view view = view_from(0.0f, 2.0f, 2.0f, 0.5f);
    set_colour(view.key.direction, 1.0f, -0.4f, 0.2f); // grazing
    view.ambient.occlusion = false;
    draw(&cloth, NULL, &view);
    int lowest = 765, highest = 0;
    for (int k = 0; k < 400; ++k) {
        int b = brightness(pixel_at(&view, 0.06f * (float)(k % 20 - 10), 0.5f, 0.06f * (float)(k / 20 - 10)));
        lowest = b < lowest ? b : lowest;
        highest = b > highest ? b : highest;
    }
    assert_true(highest - lowest < 30);
    render_mesh_destroy(mesh);
    sheet_destroy(&s);
}

static void overlay_runs_from_yellow_to_red_and_has_a_legend(void **state)
{
    (void)state;
    sheet s = sheet_create(21);
    sheet_flat(&s, 1.0f, 0.5f); // values run 0..1 along x
    render_mesh *mesh = upload(&s);
    render_mesh_scalars(mesh, s.values, 1);
    render_cloth cloth = red_cloth(mesh);
    cloth.overlay = true;
    render_view view = view_from(0.0f, 2.5f, 2.0f, 0.5f);
    view.overlay.legend = false;
    draw(&cloth, NULL, &view);
    const uint8_t *low = pixel_at(&view, -0.47f, 0.5f, 0.0f), *high = pixel_at(&view, 0.47f, 0.5f, 0.0f);
    assert_true(low[0] > 180 && low[1] > 150 && low[2] < 90);
    assert_true(high[0] > 150 && high[1] < 70 && high[2] < 70);
    int last = 256;
    for (int k = -4; k <= 4; ++k) { // green decreases monotonically
        int green = pixel_at(&view, 0.1f * (float)k, 0.5f, 0.0f)[1];
        assert_true(green < last + 3);
        last = green;
    }
    view.overlay = (render_overlay){.legend = true, .low = 0.0f, .high = 1.0f, .title = "strain", .unit = "%"};
    draw(&cloth, NULL, &view);
    int red = 0, yellow = 0, dark = 0;
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = WIDTH * 3 / 4; x < WIDTH; ++x) {
            const uint8_t *p = picture + 4 * (y * WIDTH + x);
            red += p[0] > 190 && p[1] < 90;
            yellow += p[0] > 220 && p[1] > 180 && p[2] < 110;
            dark += brightness(p) < 330 && abs(p[0] - p[2]) < 60;
        }
    assert_true(red > 10 && yellow > 10 && dark > 20); // both ends of the bar, and writing
    render_mesh_destroy(mesh);
    sheet_destroy(&s);
}

static int count_body_pixels_on_the_crown(const render_view *view)
{
    int green = 0;
    for (int i = -20; i <= 20; ++i)
        for (int j = -20; j <= 20; ++j) {
            float x = 0.011f * (float)i, z = 0.011f * (float)j, d2 = x * x + z * z;
            if (d2 < 0.05f)
                green += is_green(pixel_at(view, x, CENTRE[1] + sqrtf(RADIUS * RADIUS - d2), z));
        }
    return green;
}

static void a_body_never_bleeds_through_coarse_cloth_in_contact(void **state)
{
    (void)state;
    enum { SIDE = 15 };
    const float size = 1.6f;
    sheet s = sheet_create(SIDE);
    sheet_drape(&s, size, CENTRE, RADIUS + THICKNESS, 0.0f);
    render_mesh *mesh = upload(&s), *sphere = render_shape(r, "sphere", (tl_vec3){RADIUS, 0, 0}, 96, NULL, &error);
    render_cloth cloth = red_cloth(mesh);
    render_body ball = render_body_default();
    ball.mesh = sphere;
    set_colour(ball.colour, 0.1f, 0.8f, 0.1f);
    render_transform(ball.transform, CENTRE, NULL);
    for (int far = 1; far <= 8; far *= 8) {
        render_view view = view_from(0.3f * (float)far, 0.8f + 1.2f * (float)far, 1.2f * (float)far, 0.8f);
        ball.contact_offset = 0.0f;
        draw(&cloth, &ball, &view);
        assert_true(count_body_pixels_on_the_crown(&view) > 20); // the chords do cut into the ball
        ball.contact_offset = render_contact_offset(size / (SIDE - 1) * 1.4142f, RADIUS, THICKNESS);
        draw(&cloth, &ball, &view);
        assert_int_equal(count_body_pixels_on_the_crown(&view), 0);
    }
    render_mesh_destroy(mesh);
    render_mesh_destroy(sphere);
    sheet_destroy(&s);
}

static void cloth_on_the_floor_does_not_flicker_into_it(void **state)
{
    (void)state;
    sheet s = sheet_create(12);
    sheet_flat(&s, 1.0f, 0.0f); // exactly in the plane: worse than any contact
    render_mesh *mesh = upload(&s);
    render_cloth cloth = red_cloth(mesh);
    for (int k = 0; k < 3; ++k) {
        render_view view = view_from(0.5f, k == 0 ? 0.2f : 1.0f, k == 2 ? 12.0f : 2.0f, 0.0f);
        view.cam.fov_y = k == 2 ? 0.1f : 0.6f;
        view.floor.contact_offset = THICKNESS;
        draw(&cloth, NULL, &view);
        for (int i = 0; i < 400; ++i)
            assert_true(is_red(pixel_at(&view, 0.045f * (float)(i % 20 - 10), 0.0f, 0.045f * (float)(i / 20 - 10))));
    }
    render_mesh_destroy(mesh);
    sheet_destroy(&s);
}

static void every_look_shading_and_light_draws_without_gl_errors(void **state)
{
    (void)state;
    sheet s = sheet_create(20);
    sheet_drape(&s, 1.6f, CENTRE, RADIUS + THICKNESS, 0.0f);
    render_mesh *mesh = upload(&s);
    uint8_t checks[16];
    memset(checks, 200, sizeof checks);
    render_texture *texture = render_texture_create(r, 2, 2, checks, &error);
    assert_non_null(texture);
    for (int k = 0; k < 2 * RENDER_LOOK_COUNT * 2; ++k) {
        render_view view = view_from(1.0f, 1.5f, 3.0f, 0.6f);
        render_cloth cloth = red_cloth(mesh);
        cloth.look = (render_look)(k % RENDER_LOOK_COUNT);
        view.shading = k / RENDER_LOOK_COUNT % 2 ? RENDER_PHONG : RENDER_PHYSICAL;
        bool full = k >= 2 * RENDER_LOOK_COUNT;
        view.spot.on = full;
        for (int i = 0; i < 4; ++i)
            view.points[i].on = full;
        view.fog = full ? 0.1f : 0.0f;
        view.axes = full ? 1.0f : 0.0f;
        cloth.stripe_width[0] = full ? 0.1f : 0.0f;
        cloth.texture = full && view.shading == RENDER_PHONG ? texture : NULL;
        draw(&cloth, NULL, &view);
        assert_int_equal(render_gl_errors(r), 0);
    }
    render_texture_destroy(texture);
    render_mesh_destroy(mesh);
    sheet_destroy(&s);
}

static void each_light_can_be_switched(void **state)
{
    (void)state;
    render_view view = view_from(0.0f, 1.5f, 3.0f, 0.2f);
    view.key.on = false;
    view.ambient.intensity = 0.05f;
    view.floor.grid = false;
    draw(NULL, NULL, &view);
    int dark = brightness(pixel_at(&view, 0.0f, 0.0f, 0.3f));
    view.key.on = true;
    draw(NULL, NULL, &view);
    assert_true(brightness(pixel_at(&view, 0.0f, 0.0f, 0.3f)) > dark + 100);
    view.key.on = false;
    view.spot.on = true;
    set_colour(view.spot.position, 0.0f, 2.0f, 0.3f);
    set_colour(view.spot.direction, 0.0f, -1.0f, 0.0f);
    draw(NULL, NULL, &view);
    assert_true(brightness(pixel_at(&view, 0.0f, 0.0f, 0.3f)) > dark + 100);
    assert_true(abs(brightness(pixel_at(&view, 1.2f, 0.0f, 0.3f)) - dark) < 40); // outside the cone
    view.spot.on = false;
    for (int i = 0; i < 4; ++i) {
        view.points[i] =
            (render_point){.on = true, .position = {0.0f, 0.5f, 0.3f}, .colour = {1, 1, 1}, .intensity = 0.2f};
        draw(NULL, NULL, &view);
        int lit = brightness(pixel_at(&view, 0.0f, 0.0f, 0.3f));
        assert_true(lit > dark);
        dark = lit; // each one adds
    }
}

static void fog_fades_far_things_to_the_backdrop(void **state)
{
    (void)state;
    sheet s = sheet_create(5);
    sheet_flat(&s, 1.0f, 0.5f);
    render_mesh *mesh = upload(&s);
    render_cloth cloth = red_cloth(mesh);
    render_view view = view_from(0.0f, 2.0f, 2.0f, 0.5f);
    draw(&cloth, NULL, &view);
    const uint8_t *p = pixel_at(&view, 0.0f, 0.5f, 0.0f);
    int before = p[0] - p[1];
    view.fog = 1.0f;
    draw(&cloth, NULL, &view);
    assert_true(p[0] - p[1] < before / 2);
    render_mesh_destroy(mesh);
    sheet_destroy(&s);
}

static void only_changes_are_uploaded(void **state)
{
    (void)state;
    sheet s = sheet_create(5);
    sheet_flat(&s, 1.0f, 0.5f);
    render_mesh *mesh = upload(&s);
    assert_true(render_mesh_update(mesh, s.positions, NULL, 7));
    assert_false(render_mesh_update(mesh, s.positions, NULL, 7));
    assert_true(render_mesh_update(mesh, s.positions, NULL, 8));
    assert_true(render_mesh_scalars(mesh, s.values, 1));
    assert_false(render_mesh_scalars(mesh, s.values, 1));
    // a non-finite particle does not affect the bounds
    float low[3], high[3];
    s.positions[0] = NAN;
    s.positions[4] = INFINITY;
    assert_true(render_mesh_update(mesh, s.positions, NULL, 9));
    render_mesh_bounds(mesh, low, high);
    for (int k = 0; k < 3; ++k)
        assert_true(low[k] >= -0.51f && high[k] <= 0.51f);
    render_cloth cloth = red_cloth(mesh);
    render_view view = view_from(0.0f, 2.0f, 2.0f, 0.5f);
    draw(&cloth, NULL, &view);
    render_mesh_destroy(mesh);
    sheet_destroy(&s);
}

static void unsound_input_is_refused_with_a_reason(void **state)
{
    (void)state;
    const float positions[9] = {0};
    const uint32_t wrong[3] = {0, 1, 3};
    error.text[0] = 0;
    assert_null(render_mesh_create(
        r, &(render_mesh_def){.vertex_count = 3, .triangle_count = 1, .positions = positions, .triangles = wrong},
        &error));
    assert_non_null(strstr(error.text, "vertex 3"));
    assert_null(render_shape(r, "sphere", (tl_vec3){-1, 0, 0}, 32, NULL, &error));
    assert_string_equal(error.text, "sphere: radius must be above 0");
    assert_null(render_shape(r, "mesh", (tl_vec3){1, 1, 1}, 32, NULL, &error));
    assert_non_null(strstr(error.text, "'mesh'"));
    assert_null(render_target_create(r, 0, 10, 0, &error));
    assert_null(render_texture_load(r, "/nowhere.png", &error));
    assert_non_null(strstr(error.text, "/nowhere.png"));
}

static void every_shape_of_the_engine_is_drawn_bright_where_light_falls_on_it(void **state)
{
    (void)state;
    const tl_vec3 size = {(tl_real)0.5, (tl_real)0.4, (tl_real)0.3};
    for (const char *const *shape = tl_shape_names(); strcmp(*shape, "mesh") != 0; ++shape) {
        float radius = -1, low[3], high[3];
        render_body body = render_body_default();
        body.mesh = render_shape(r, *shape, size, 48, &radius, &error);
        assert_non_null(body.mesh);
        assert_true(radius >= 0.0f && radius <= 0.5f);
        render_mesh_bounds(body.mesh, low, high);
        assert_true(high[0] >= 0.25f && high[2] >= 0.15f && low[0] == -high[0]);
        // lit from above, the top is bright: normals and winding point outward
        render_view view = view_from(0.0f, 2.0f, 1.0f, 0.0f);
        view.floor.on = false;
        view.ambient.intensity = 0.1f;
        set_colour(view.key.direction, 0.0f, -1.0f, 0.0f);
        draw(NULL, &body, &view);
        assert_true(brightness(pixel_at(&view, 0.0f, high[1], 0.0f)) > 450);
        render_mesh_destroy((render_mesh *)body.mesh);
    }
}

static void normals_point_up_for_a_flat_sheet(void **state)
{
    (void)state;
    sheet s = sheet_create(6);
    sheet_flat(&s, 1.0f, 0.2f);
    float normals[36 * 3];
    render_normals(s.vertex_count, s.positions, s.triangle_count, s.triangles, normals);
    for (int i = 0; i < s.vertex_count; ++i)
        assert_float_equal(normals[3 * i + 1], 1.0f, 1e-6f);
    sheet_destroy(&s);
}

static void targets_of_any_size_and_sampling_agree(void **state)
{
    (void)state;
    render_view view = view_from(1.0f, 1.0f, 3.0f, 0.3f);
    render_scene scene = {0};
    for (int samples = 0; samples <= 4; samples += 2) {
        render_target *odd = render_target_create(r, 61, 37, samples, &error);
        assert_non_null(odd);
        assert_true(render_draw(r, odd, &scene, &view, &error));
        uint8_t small[61 * 37 * 4];
        render_target_read(odd, small);
        assert_true(brightness(small) > 300 && brightness(small + 4 * (61 * 37 - 1)) > 300);
        render_target_destroy(odd);
    }
}

static void the_picture_can_be_shown_in_another_framebuffer(void **state)
{
    (void)state;
    render_view view = view_from(1.0f, 1.0f, 3.0f, 0.3f);
    draw(NULL, NULL, &view);
    GLuint texture, framebuffer;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    render_target_present(target, framebuffer, 0, 0, WIDTH, HEIGHT);
    uint8_t corner[4];
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, corner);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    assert_memory_equal(corner, picture + 4 * (HEIGHT - 1) * WIDTH, 3); // GL's first row is our last
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
}

static void contact_offset_is_the_sagitta_plus_the_thickness(void **state)
{
    (void)state;
    assert_float_equal(render_contact_offset(0.1f, 0.5f, 0.002f), 0.01f / 4.0f * 4.0f / 3.0f + 0.002f, 1e-6f);
    assert_float_equal(render_contact_offset(0.1f, INFINITY, 0.002f), 0.002f, 0.0f);
    assert_float_equal(render_contact_offset(0.1f, 0.0f, 0.002f), 0.002f, 0.0f);
}

static int no_gl_errors(void **state)
{
    (void)state;
    return render_gl_errors(r) == 0 ? 0 : -1;
}

static int open_all(void **state)
{
    (void)state;
    r = render_headless_create(&(render_def){.debug = true}, &error);
    target = r ? render_target_create(r, WIDTH, HEIGHT, 4, &error) : NULL;
    if (!target)
        print_error("%s\n", error.text);
    return target ? 0 : -1;
}

static int close_all(void **state)
{
    (void)state;
    render_target_destroy(target);
    int errors = render_gl_errors(r);
    render_destroy(r);
    return errors;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, no_gl_errors)
    const struct CMUnitTest tests[] = {
        TEST(an_empty_scene_shows_floor_and_backdrop),
        TEST(cloth_covers_the_pixels_it_projects_to_and_no_others),
        TEST(the_back_side_is_lit_in_its_own_colour),
        TEST(the_shadow_darkens_the_floor_and_nothing_else),
        TEST(a_lit_sheet_has_no_shadow_acne),
        TEST(overlay_runs_from_yellow_to_red_and_has_a_legend),
        TEST(a_body_never_bleeds_through_coarse_cloth_in_contact),
        TEST(cloth_on_the_floor_does_not_flicker_into_it),
        TEST(every_look_shading_and_light_draws_without_gl_errors),
        TEST(each_light_can_be_switched),
        TEST(fog_fades_far_things_to_the_backdrop),
        TEST(only_changes_are_uploaded),
        TEST(unsound_input_is_refused_with_a_reason),
        TEST(every_shape_of_the_engine_is_drawn_bright_where_light_falls_on_it),
        TEST(normals_point_up_for_a_flat_sheet),
        TEST(targets_of_any_size_and_sampling_agree),
        TEST(the_picture_can_be_shown_in_another_framebuffer),
        TEST(contact_offset_is_the_sagitta_plus_the_thickness),
    };
#undef TEST
    return cmocka_run_group_tests_name("render", tests, open_all, close_all);
}
