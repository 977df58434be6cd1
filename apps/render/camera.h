/* Perspective camera: trackball and turntable moves, framing, paths and picking rays.
   Plain arithmetic, no OpenGL; metres, radians and seconds throughout; y is up in every default. */
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

typedef struct camera {
    float position[3]; /* m, the eye */
    float target[3];   /* m, the point orbited and looked at; never equal to position */
    float up[3];       /* direction, any length, not parallel to the view direction */
    float fov_y;       /* rad, full vertical opening angle */
} camera;

/* Looks at the origin from the front right, slightly above: the product-shot direction; 35° opening. */
camera camera_default(void);

/* Turntable: yaw turns about `up`, pitch lifts the eye; stops just short of the poles. Distance is kept. */
void camera_orbit(camera *cam, float yaw, float pitch);

/* Shoemake trackball: drag from one point to another, both in [-1, 1]² with y up. Also rolls, so it changes `up`. */
void camera_trackball(camera *cam, float from_x, float from_y, float to_x, float to_y);

/* Moves eye and target sideways; dx, dy are fractions of the picture's height (the point under the mouse at the
   target's depth follows the mouse exactly). */
void camera_pan(camera *cam, float dx, float dy);

/* Multiplies the distance eye–target by `factor` (> 0): below 1 moves closer. */
void camera_zoom(camera *cam, float factor);

/* Walks eye and target together: metres to the right, up and forward in the camera's own axes. */
void camera_fly(camera *cam, float right, float up, float forward);

/* Turns the view about the eye (fly mode): yaw about `up`, pitch; stops short of the poles. */
void camera_look(camera *cam, float yaw, float pitch);

/* Keeps the viewing direction; moves eye and target so that the box fills the picture with all eight corners inside.
   aspect is width / height; margin 0.1 leaves 10 % of the half picture free on the tightest side. */
void camera_frame_bounds(camera *cam, const float minimum[3], const float maximum[3], float aspect, float margin);

/* Unit ray through pixel (x, y), origin in the top left corner, pixel centres at half integers. */
void camera_ray(const camera *cam, float x, float y, int width, int height, float origin[3], float direction[3]);

/* World point → pixel coordinates (top left origin) and distance in front of the eye; 0 when behind the eye. */
int camera_project(const camera *cam, const float point[3], int width, int height, float pixel[2], float *depth);

typedef enum camera_path_kind { CAMERA_STILL, CAMERA_ORBIT, CAMERA_KEYFRAMES } camera_path_kind;

typedef struct camera_key {
    float time; /* s, strictly increasing along the array */
    float position[3];
    float target[3];
} camera_key;

typedef struct camera_path {
    camera_path_kind kind;
    float turns;            /* orbit: full turns over the clip, sign gives the direction */
    const camera_key *keys; /* keyframes: borrowed from the caller */
    int key_count;
} camera_path;

/* Camera at `time` of a clip of `duration` seconds. `base` is the still camera: the start of an orbit, and the source
   of up and fov for keyframes. Keys are joined by a C¹ cubic (Hermite with finite-difference tangents). */
camera camera_path_at(const camera_path *path, const camera *base, float time, float duration);

#endif
