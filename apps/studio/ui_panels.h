// Panels of Dear ImGui kept as a picture of the window; their interface is in studio/ui.h.
#ifndef TELAR_STUDIO_UI_PANELS_H
#define TELAR_STUDIO_UI_PANELS_H

void ui_panels_begin(); // a frame begins
void ui_panels_keep();  // the window just begun is a panel
void ui_panels_end();   // the frame is complete: redraws what changed
void ui_panels_forget();

#endif
