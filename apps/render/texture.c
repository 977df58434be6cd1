/* Images as repeated, mip-mapped textures in sRGB; the GPU turns them into linear light when it filters. */
#include "render_internal.h"
#include "video.h"
#include <stdlib.h>

render_texture *render_texture_create(render *r, int width, int height, const uint8_t *rgba, render_error *error)
{
    (void)r; // its context is current
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (width < 1 || height < 1 || width > largest || height > largest) {
        render_error_set(error, "texture size %d × %d is outside 1 .. %d", width, height, (int)largest);
        return NULL;
    }
    render_texture *texture = calloc(1, sizeof *texture);
    if (!texture) {
        render_error_set(error, "out of memory");
        return NULL;
    }
    glGenTextures(1, &texture->name);
    glBindTexture(GL_TEXTURE_2D, texture->name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    if (epoxy_has_gl_extension("GL_EXT_texture_filter_anisotropic"))
        glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 4.0f);
    glBindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

render_texture *render_texture_load(render *r, const char *path, render_error *error)
{
    int width = 0, height = 0;
    uint8_t *rgba = image_read(path, &width, &height, error);
    if (!rgba)
        return NULL;
    render_texture *texture = render_texture_create(r, width, height, rgba, error);
    free(rgba);
    return texture;
}

void render_texture_destroy(render_texture *texture)
{
    if (!texture)
        return;
    glDeleteTextures(1, &texture->name);
    free(texture);
}
