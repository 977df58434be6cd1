/* Preloaded when the studio runs under the address sanitizer: the OpenGL driver stays loaded, so that what it keeps in
   its own globals is still found at the end and not taken for a leak. */
int dlclose(void *library);
int dlclose(void *library)
{
    (void)library;
    return 0;
}
