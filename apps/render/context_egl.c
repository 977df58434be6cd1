/* An OpenGL 3.3 core context without any display: EGL on Mesa's surfaceless platform, pictures in framebuffer objects.
   Elsewhere the default EGL display is tried. */
#include "render_internal.h"
#include <epoxy/egl.h>
#include <stdlib.h>

typedef struct headless {
    EGLDisplay display;
    EGLContext context;
} headless;

static EGLDisplay open_display(void)
{
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless") &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base")) {
        EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
        if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL))
            return display;
    }
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL))
        return display;
    return EGL_NO_DISPLAY;
}

static EGLContext open_context(EGLDisplay display, bool debug)
{
    const EGLint config_wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
    const EGLint any_surface[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE};
    EGLConfig config = NULL; // EGL_NO_CONFIG_KHR
    EGLint count = 0;
    if (!eglChooseConfig(display, config_wanted, &config, 1, &count) || count < 1)
        if (!eglChooseConfig(display, any_surface, &config, 1, &count) || count < 1)
            config = NULL;
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION_KHR,
                             3,
                             EGL_CONTEXT_MINOR_VERSION_KHR,
                             3,
                             EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                             EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                             EGL_CONTEXT_FLAGS_KHR,
                             debug ? EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR : 0,
                             EGL_NONE};
    return eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
}

void *context_create_headless(bool debug, render_error *error)
{
    EGLDisplay display = open_display();
    if (display == EGL_NO_DISPLAY) {
        render_error_set(error, "no EGL display: install Mesa's EGL (Debian: libegl1 libgl1-mesa-dri)");
        return NULL;
    }
    EGLContext context = EGL_NO_CONTEXT;
    if (eglBindAPI(EGL_OPENGL_API))
        context = open_context(display, debug);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        render_error_set(error, "no OpenGL 3.3 core context without a surface (EGL error 0x%x)",
                         (unsigned)eglGetError());
        if (context != EGL_NO_CONTEXT)
            eglDestroyContext(display, context);
        return NULL;
    }
    headless *made = malloc(sizeof *made);
    if (!made) {
        render_error_set(error, "out of memory");
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
        return NULL;
    }
    *made = (headless){display, context};
    return made;
}

void context_destroy(void *context)
{
    headless *made = context;
    if (!made)
        return;
    eglMakeCurrent(made->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(made->display, made->context);
    // the display stays open: it is one per process, and another renderer may be using it
    free(made);
}
