/* GLSL pieces; see shaders.c. */
#ifndef RENDER_SHADERS_H
#define RENDER_SHADERS_H

extern const char glsl_frame[];
extern const char glsl_occlusion_filter[];
extern const char glsl_vertex_inputs[];
extern const char glsl_surface_vertex[];
extern const char glsl_depth_vertex[];
extern const char glsl_depth_fragment[];
extern const char glsl_screen_vertex[];
extern const char glsl_tone[];
extern const char glsl_output[];
extern const char glsl_background_fragment[];
extern const char glsl_blur_fragment[];
extern const char glsl_shadow_filter[];
extern const char glsl_surface_inputs[];
extern const char glsl_shading[];
extern const char glsl_lights[];
extern const char glsl_looks[];
extern const char glsl_looks_more[];
extern const char glsl_cloth_light[];
extern const char glsl_vertex_light[];
extern const char glsl_cloth_main[];
extern const char glsl_body_main[];
extern const char glsl_floor_light_main[];
extern const char glsl_floor_main[];
extern const char glsl_wire_common[];
extern const char glsl_line_vertex[];
extern const char glsl_line_fragment[];
extern const char glsl_point_vertex[];
extern const char glsl_point_fragment[];
extern const char glsl_text_vertex[];
extern const char glsl_text_fragment[];

#endif
