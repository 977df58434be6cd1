/* Keys, camera, and dragging in the viewport. */
#include "studio/app.h"

#include <GLFW/glfw3.h>
#include <math.h>
#include <string.h>

#define CLICK 4.0f   /* px that a click may move */
#define ORBIT 0.008f /* rad per px */
#define LOOK 0.003f  /* rad per px */
#define NOTCH 0.88f  /* factor on the distance per notch of the wheel */
#define FLY 0.7f     /* of the distance to the target, per second */

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static void full_screen(app *a)
{
    int *w = a->windowed;
    if (a->full_screen) {
        glfwSetWindowMonitor(a->window, NULL, w[0], w[1], w[2], w[3], GLFW_DONT_CARE);
    } else {
        GLFWmonitor *monitor = glfwGetPrimaryMonitor();
        const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
        if (!mode)
            return;
        glfwGetWindowPos(a->window, &w[0], &w[1]);
        glfwGetWindowSize(a->window, &w[2], &w[3]);
        glfwSetWindowMonitor(a->window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }
    a->full_screen = !a->full_screen;
}

static void escape(app *a)
{
    if (a->drag.kind != DRAG_NONE)
        input_cancel(a);
    else if (ui_close_popups())
        return;
    else if (a->dialog != DIALOG_NONE)
        a->dialog = DIALOG_NONE;
    else if (a->full_screen)
        full_screen(a);
    else
        a->quit = true;
}

static void open_dialog(app *a, dialog which)
{
    a->dialog = a->dialog == which ? DIALOG_NONE : which;
    a->dialog_new = true;
}

static bool flying(const app *a, int modifiers) { return (modifiers & GLFW_MOD_SHIFT) || a->drag.kind == DRAG_LOOK; }

static bool is_fly_key(int key)
{
    return key == GLFW_KEY_W || key == GLFW_KEY_A || key == GLFW_KEY_S || key == GLFW_KEY_D || key == GLFW_KEY_Q ||
           key == GLFW_KEY_E;
}

static void change_speed(app *a, double factor)
{
    double speed = a->settings.speed * factor;
    control_speed(a, speed < 0.1 ? 0.1 : speed > 4 ? 4 : speed);
}

void input_key(app *a, int key, int modifiers)
{
    char name[LONGEST_NAME];
    if (key == GLFW_KEY_ESCAPE)
        escape(a);
    else if (key == GLFW_KEY_S && (modifiers & GLFW_MOD_CONTROL))
        open_dialog(a, DIALOG_SAVE);
    else if (key == GLFW_KEY_O && (modifiers & GLFW_MOD_CONTROL))
        open_dialog(a, DIALOG_OPEN);
    else if ((modifiers & GLFW_MOD_CONTROL) || (is_fly_key(key) && flying(a, modifiers)))
        return;
    else if (key == GLFW_KEY_P || key == GLFW_KEY_SPACE)
        control_play(a, !control_playing(a));
    else if (key == GLFW_KEY_RIGHT)
        control_step(a);
    else if (key == GLFW_KEY_UP || key == GLFW_KEY_DOWN)
        change_speed(a, key == GLFW_KEY_UP ? 2 : 0.5);
    else if (key == GLFW_KEY_R)
        document_reset(a);
    else if (key == GLFW_KEY_S)
        view_screenshot(a, name, sizeof name);
    else if (key == GLFW_KEY_M)
        a->settings.panels = !a->settings.panels;
    else if (key == GLFW_KEY_F)
        view_frame_scene(a);
    else if (key == GLFW_KEY_V)
        view_record_toggle(a);
    else if (key == GLFW_KEY_O)
        open_dialog(a, DIALOG_OPEN);
    else if (key == GLFW_KEY_C)
        a->compare_wanted = !a->comparing;
    else if (key == GLFW_KEY_B && document_ball(a) >= 0)
        control_drop(a);
    else if (key == GLFW_KEY_F1 || key == GLFW_KEY_H)
        open_dialog(a, DIALOG_HELP);
    else if (key == GLFW_KEY_F11)
        full_screen(a);
}

void input_fly(app *a, double seconds)
{
    GLFWwindow *w = a->window;
    bool shift = glfwGetKey(w, GLFW_KEY_LEFT_SHIFT) || glfwGetKey(w, GLFW_KEY_RIGHT_SHIFT);
    bool control = glfwGetKey(w, GLFW_KEY_LEFT_CONTROL) || glfwGetKey(w, GLFW_KEY_RIGHT_CONTROL);
    if (ui_typing() || control || !(shift || a->drag.kind == DRAG_LOOK))
        return;
    int right = glfwGetKey(w, GLFW_KEY_D) - glfwGetKey(w, GLFW_KEY_A);
    int up = glfwGetKey(w, GLFW_KEY_E) - glfwGetKey(w, GLFW_KEY_Q);
    int forward = glfwGetKey(w, GLFW_KEY_W) - glfwGetKey(w, GLFW_KEY_S);
    if (right == 0 && up == 0 && forward == 0)
        return;
    float square = 0;
    for (int c = 0; c < 3; ++c)
        square += (a->cam.target[c] - a->cam.position[c]) * (a->cam.target[c] - a->cam.position[c]);
    float step = sqrtf(square) * FLY * (float)(seconds < 0.1 ? seconds : 0.1);
    camera_fly(&a->cam, step * (float)right, step * (float)up, step * (float)forward);
    a->cam_moved = true;
    a->redraws = 2;
}

/* ---- rays ------------------------------------------------------------------------------------------------------- */

static int side_at(const app *a, float x) { return a->comparing && x >= view_rect(a, SIDE_A).width ? SIDE_B : SIDE_A; }

/* Ray through a point of the viewport, px from its top left corner, with the camera of the given side. */
static void ray_at(const app *a, int side, float x, float y, float origin[3], float direction[3])
{
    ui_rect r = view_rect(a, side);
    camera_ray(&a->cam, x - (r.x - a->viewport.x), y, (int)r.width, (int)r.height, origin, direction);
}

static pick pick_at(const app *a, int side, float x, float y)
{
    float origin[3], direction[3];
    const track *t = &a->tracks[side];
    ray_at(a, side, x, y, origin, direction);
    return picker_cast(t->picker, t->frame, origin, direction);
}

/* Intersection of the ray with the plane through `point` that faces the camera. */
static bool intersect_plane(const app *a, float x, float y, float out[3])
{
    float origin[3], direction[3], along = 0, deep = 0;
    ray_at(a, a->drag.side, x, y, origin, direction);
    for (int c = 0; c < 3; ++c) {
        float normal = a->cam.target[c] - a->cam.position[c];
        along += normal * direction[c];
        deep += normal * (a->drag.depth_point[c] - origin[c]);
    }
    if (!(along > 0))
        return false;
    for (int c = 0; c < 3; ++c)
        out[c] = origin[c] + deep / along * direction[c];
    return true;
}

/* ---- dragging --------------------------------------------------------------------------------------------------- */

/* The other side of a comparison mirrors this one. */
static void lead(app *a)
{
    const drag *d = &a->drag;
    for (int side = 0; side < control_sides(a); ++side) {
        simulation *sim = a->tracks[side].sim;
        if (d->kind == DRAG_CLOTH)
            simulation_hold_move(sim, d->target);
        else
            simulation_body_hold(sim, d->object, d->target, d->rotation);
    }
}

static void take_hold(app *a, int side, const pick *p)
{
    drag *d = &a->drag;
    const stage_frame *frame = a->tracks[side].frame;
    float place[3] = {0, 0, 0};
    d->side = side;
    d->object = p->object;
    d->vertex = p->vertex;
    if (p->kind == PICK_CLOTH) {
        int count;
        memcpy(place, stage_frame_positions(frame, p->object, &count) + 3 * p->vertex, sizeof place);
        d->kind = DRAG_CLOTH;
    } else {
        stage_frame_body(frame, p->object, place, d->rotation);
        d->kind = DRAG_BODY;
    }
    memcpy(d->depth_point, p->point, sizeof d->depth_point);
    memcpy(d->target, place, sizeof d->target);
    for (int c = 0; c < 3; ++c)
        d->offset[c] = place[c] - p->point[c];
    for (int k = 0; k < control_sides(a) && d->kind == DRAG_CLOTH; ++k)
        simulation_hold(a->tracks[k].sim, p->object, p->vertex, place);
}

/* Moving a body before the first step edits the scene; later it only moves the running body. */
static void arrange_body(app *a)
{
    char path[64], text[128];
    const drag *d = &a->drag;
    const tl_scene *scene = a->tracks[d->side].scene;
    snprintf(path, sizeof path, "body[%d].position", d->object);
    for (int k = 0; k < tl_scene_object_count(scene); ++k) {
        tl_scene_object object = tl_scene_object_at(scene, k);
        const tl_body_def *def = object.object;
        if (object.group != &tl_body_params || strncmp(object.path, path, strlen(object.path)) != 0 ||
            def->key_count > 0)
            continue;
        snprintf(text, sizeof text, "%.9g,%.9g,%.9g", (double)d->target[0], (double)d->target[1], (double)d->target[2]);
        document_set(a, -1, path, text, false, true);
        return;
    }
}

static void let_go(app *a)
{
    drag d = a->drag;
    bool before_start = a->tracks[SIDE_A].status.frame == 0 && !control_playing(a);
    for (int side = 0; side < control_sides(a) && (d.kind == DRAG_CLOTH || d.kind == DRAG_BODY); ++side)
        simulation_hold_end(a->tracks[side].sim);
    if (d.kind == DRAG_BODY && d.moved && before_start)
        arrange_body(a);
    a->drag.kind = DRAG_NONE;
}

void input_cancel(app *a)
{
    for (int side = 0; side < control_sides(a) && (a->drag.kind == DRAG_CLOTH || a->drag.kind == DRAG_BODY); ++side)
        simulation_hold_end(a->tracks[side].sim);
    a->drag.kind = DRAG_NONE;
}

static void begin(app *a, const ui_pointer *p)
{
    int side = side_at(a, p->x);
    a->drag = (drag){.side = side, .start_x = p->x, .start_y = p->y};
    if (p->pressed[2] || (p->pressed[0] && p->shift)) {
        a->drag.kind = DRAG_PAN;
    } else if (p->pressed[1]) {
        a->drag.kind = DRAG_LOOK;
    } else if (p->pressed[0]) {
        pick under = p->alt ? (pick){.kind = PICK_NOTHING} : pick_at(a, side, p->x, p->y);
        if (under.kind == PICK_NOTHING || p->control)
            a->drag.kind = DRAG_ORBIT;
        else
            take_hold(a, side, &under);
    }
}

/* A click without a drag: control-left or right toggles a pin. */
static void click(app *a, const ui_pointer *p)
{
    bool pins = p->released[1] || (p->released[0] && p->control);
    pick under = pins ? pick_at(a, a->drag.side, a->drag.start_x, a->drag.start_y) : (pick){.kind = PICK_NOTHING};
    if (under.kind == PICK_CLOTH)
        simulation_pin(a->tracks[a->drag.side].sim, under.object, under.vertex, SIMULATION_TOGGLE);
}

static void go_on(app *a, const ui_pointer *p)
{
    drag *d = &a->drag;
    ui_rect r = view_rect(a, d->side);
    float point[3];
    if (fabsf(p->x - d->start_x) > CLICK || fabsf(p->y - d->start_y) > CLICK)
        d->moved = true;
    if (!d->moved || (p->dx == 0 && p->dy == 0))
        return;
    if ((d->kind == DRAG_CLOTH || d->kind == DRAG_BODY) && intersect_plane(a, p->x, p->y, point)) {
        for (int c = 0; c < 3; ++c)
            d->target[c] = point[c] + d->offset[c];
        lead(a);
        return;
    }
    if (d->kind == DRAG_ORBIT && p->alt) {
        float half = fminf(r.width, r.height) / 2, x = p->x - (r.x - a->viewport.x) - r.width / 2,
              y = r.height / 2 - p->y;
        camera_trackball(&a->cam, (x - p->dx) / half, (y + p->dy) / half, x / half, y / half);
    } else if (d->kind == DRAG_ORBIT) {
        camera_orbit(&a->cam, -ORBIT * p->dx, ORBIT * p->dy);
    } else if (d->kind == DRAG_PAN) {
        camera_pan(&a->cam, p->dx / r.height, -p->dy / r.height);
    } else if (d->kind == DRAG_LOOK) {
        camera_look(&a->cam, -LOOK * p->dx, -LOOK * p->dy);
    }
    a->cam_moved = true;
}

void input_pointer(app *a, const ui_pointer *p)
{
    if (p->wheel != 0) {
        camera_zoom(&a->cam, powf(NOTCH, p->wheel));
        a->cam_moved = true;
    }
    if (a->drag.kind == DRAG_NONE && (p->pressed[0] || p->pressed[1] || p->pressed[2]))
        begin(a, p);
    if (a->drag.kind == DRAG_NONE)
        return;
    go_on(a, p);
    if (p->down[0] || p->down[1] || p->down[2])
        return;
    if (!a->drag.moved)
        click(a, p);
    let_go(a);
}

/* ---- marks ------------------------------------------------------------------------------------------------------ */

static bool project(const app *a, int side, const float point[3], float pixel[2])
{
    ui_rect r = view_rect(a, side);
    float depth;
    if (!camera_project(&a->cam, point, (int)r.width, (int)r.height, pixel, &depth) || pixel[0] < 0 || pixel[1] < 0 ||
        pixel[0] > r.width || pixel[1] > r.height)
        return false;
    pixel[0] += r.x;
    pixel[1] += r.y;
    return true;
}

static void mark_pins(const app *a, int side)
{
    const track *t = &a->tracks[side];
    for (int k = 0; t->frame && k < t->status.pin_count; ++k) {
        int count, vertex = t->status.pins[k][1];
        const float *x = stage_frame_positions(t->frame, t->status.pins[k][0], &count);
        float pixel[2];
        if (x && vertex < count && project(a, side, x + 3 * vertex, pixel))
            ui_draw_ring(pixel[0], pixel[1], 2.5f, 1.5f, (ui_shade){0.96f, 0.76f, 0.30f, 0.9f});
    }
}

void input_marks(const app *a)
{
    const ui_shade held = {0.30f, 0.86f, 0.88f, 1};
    for (int side = 0; side < control_sides(a); ++side) {
        const track *t = &a->tracks[side];
        mark_pins(a, side);
        float from[3] = {0, 0, 0}, turn[4], p[2], q[2];
        if (!t->frame || (a->drag.kind != DRAG_CLOTH && a->drag.kind != DRAG_BODY))
            continue;
        int count;
        const float *x = stage_frame_positions(t->frame, a->drag.object, &count);
        if (a->drag.kind == DRAG_BODY)
            stage_frame_body(t->frame, a->drag.object, from, turn);
        else if (x && a->drag.vertex < count)
            memcpy(from, x + 3 * a->drag.vertex, sizeof from);
        if (!project(a, side, from, p) || !project(a, side, a->drag.target, q))
            continue;
        ui_draw_line(p[0], p[1], q[0], q[1], 1.5f, held);
        ui_draw_ring(p[0], p[1], 5, 2, held);
    }
}
