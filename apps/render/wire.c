/* Links and particles as lines and balls of a given width in pixels. OpenGL core promises lines of one pixel only, so
   each link is a thin quad made in the vertex shader from the cloth's own buffers; nothing is uploaded for it. */
#include "render_internal.h"

/* Display colours by kind of link: stretch, shear, bend, seam, x, y, z axis; the last one is the particles'. */
static const float palette[8][3] = {{0.20f, 0.30f, 0.45f}, {0.13f, 0.58f, 0.56f}, {0.88f, 0.52f, 0.20f},
                                    {0.72f, 0.20f, 0.52f}, {0.82f, 0.22f, 0.22f}, {0.26f, 0.62f, 0.26f},
                                    {0.22f, 0.38f, 0.85f}, {0.12f, 0.17f, 0.26f}};

static void draw(render *r, GLuint name, const render_mesh *mesh, float pixels, bool overlay, int corners)
{
    glUseProgram(name);
    glUniform4f(glGetUniformLocation(name, "u_wire"), pixels, overlay ? 1.0f : 0.0f, 0.0f, 0.0f);
    glUniform3fv(glGetUniformLocation(name, "u_palette"), 8, &palette[0][0]);
    const GLuint views[3] = {mesh->position_view, mesh->link_view, mesh->scalar_view};
    for (int i = 0; i < 3; ++i) {
        glActiveTexture((GLenum)(GL_TEXTURE0 + UNIT_POSITIONS + i));
        glBindTexture(GL_TEXTURE_BUFFER, views[i]);
    }
    glBindVertexArray(r->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, corners);
}

bool wire_draw(render *r, const render_cloth *cloth, float picture_height, render_error *error)
{
    GLuint lines = program_fixed(r, PROGRAM_LINES, error), points = program_fixed(r, PROGRAM_POINTS, error);
    if (!lines || !points)
        return false;
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    float scale = picture_height / 720.0f;
    if (cloth->mesh->link_count > 0)
        draw(r, lines, cloth->mesh, cloth->line_width * scale, cloth->overlay, 6 * cloth->mesh->link_count);
    if (cloth->point_size > 0.0f)
        draw(r, points, cloth->mesh, cloth->point_size * scale, cloth->overlay, 6 * cloth->mesh->vertex_count);
    glDisable(GL_BLEND);
    return true;
}

bool axes_draw(render *r, float length, float picture_height, render_error *error)
{
    const float positions[12] = {0, 0, 0, length, 0, 0, 0, length, 0, 0, 0, length};
    if (!r->axes) {
        static const uint32_t links[6] = {0, 1, 0, 2, 0, 3};
        static const uint8_t kinds[3] = {4, 5, 6};
        r->axes = render_mesh_create(
            r,
            &(render_mesh_def){
                .vertex_count = 4, .positions = positions, .link_count = 3, .links = links, .link_kinds = kinds},
            error);
        if (!r->axes)
            return false;
    }
    if (r->axes->maximum.x != length)
        render_mesh_update(r->axes, positions, NULL, 0);
    render_cloth lines = {.mesh = r->axes, .line_width = 2.5f};
    return wire_draw(r, &lines, picture_height, error);
}
