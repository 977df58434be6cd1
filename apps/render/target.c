/* Off-screen pictures: drawn into renderbuffers (multisampled or not), resolved into a texture that can be read or
   blitted. Colours are stored gamma-encoded in 8 bits, so every front end shows the same picture.

   The top row comes first and blue before red, as in window memory: software OpenGL then presents a picture by copying
   rows, twenty times faster than by drawing it. */
#include "render_internal.h"
#include <stdlib.h>
#include <string.h>

static bool complete(GLuint framebuffer, const char *what, render_error *error)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status == GL_FRAMEBUFFER_COMPLETE)
        return true;
    render_error_set(error, "%s framebuffer incomplete (0x%x)", what, (unsigned)status);
    return false;
}

/* After make_resolved: without samples the picture's own texture is drawn into. */
static void make_drawn_into(render_target *t)
{
    if (t->samples > 0) {
        glGenRenderbuffers(1, &t->colour);
        glBindRenderbuffer(GL_RENDERBUFFER, t->colour);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, t->samples, GL_RGBA8, t->width, t->height);
    }
    glGenRenderbuffers(1, &t->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, t->depth);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, t->samples, GL_DEPTH_COMPONENT24, t->width, t->height);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    glGenFramebuffers(1, &t->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    if (t->samples > 0)
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, t->colour);
    else
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->texture, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, t->depth);
}

static void make_resolved(render_target *t)
{
    glGenTextures(1, &t->texture);
    glBindTexture(GL_TEXTURE_2D, t->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, t->width, t->height, 0, GL_BGRA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindTexture(GL_TEXTURE_2D, 0);
    glGenFramebuffers(1, &t->resolved);
    glBindFramebuffer(GL_FRAMEBUFFER, t->resolved);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->texture, 0);
}

render_target *render_target_create(render *r, int width, int height, int samples, render_error *error)
{
    (void)r; // its context is current
    GLint largest = 0, most_samples = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    glGetIntegerv(GL_MAX_SAMPLES, &most_samples);
    if (width < 1 || height < 1 || width > largest || height > largest) {
        render_error_set(error, "picture size %d × %d is outside 1 .. %d", width, height, (int)largest);
        return NULL;
    }
    render_target *t = calloc(1, sizeof *t);
    if (!t) {
        render_error_set(error, "out of memory");
        return NULL;
    }
    t->width = width;
    t->height = height;
    t->samples = samples < 2 ? 0 : samples < most_samples ? samples : most_samples;
    make_resolved(t);
    make_drawn_into(t);
    bool good = complete(t->framebuffer, "picture", error) && complete(t->resolved, "resolved picture", error);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (!good) {
        render_target_destroy(t);
        return NULL;
    }
    return t;
}

void render_target_destroy(render_target *t)
{
    if (!t)
        return;
    glDeleteFramebuffers(1, &t->framebuffer);
    glDeleteFramebuffers(1, &t->resolved);
    glDeleteRenderbuffers(1, &t->colour);
    glDeleteRenderbuffers(1, &t->depth);
    glDeleteTextures(1, &t->texture);
    free(t);
}

int render_target_width(const render_target *target) { return target->width; }

int render_target_height(const render_target *target) { return target->height; }

void render_target_read(const render_target *t, uint8_t *rgba)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, t->resolved);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, t->width, t->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    for (size_t i = 3; i < 4 * (size_t)t->width * (size_t)t->height; i += 4)
        rgba[i] = 255;
}

void render_target_present(const render_target *t, unsigned framebuffer, int x, int y, int width, int height)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, t->resolved);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glDisable(GL_SCISSOR_TEST);
    bool same = width == t->width && height == t->height;
    glBlitFramebuffer(0, 0, t->width, t->height, x, y + height, x + width, y, GL_COLOR_BUFFER_BIT,
                      same ? GL_NEAREST : GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}
