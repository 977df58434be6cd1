// Panels of Dear ImGui kept as a picture of the window.
//
// Drawing hundreds of glyphs costs software OpenGL more than the cloth does, and panels hardly change: they are drawn
// into a picture of the window, each only when its list of triangles differs from the one drawn last. The picture has
// its top row first and blue before red, as window memory: presenting it is then a copy.
#include "studio/ui_panels.h"
#include "studio/ui.h"

#include <cstdint>

#include <epoxy/gl.h>

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <imgui_internal.h>

namespace
{

const double max_age = 0.08; // s, a panel without the pointer may be out of date
enum { MAX_PANELS = 16 };

struct panel {
    ImGuiWindow *window;
    uint64_t drawn;  // hash of what the picture shows
    double drawn_at; // s
};
panel panels[MAX_PANELS], kept_panels[MAX_PANELS];
int panel_count, kept_count;
bool panels_stale;
GLuint kept_texture, kept_framebuffer;
int kept_width, kept_height;
ImVector<ImDrawList *> lists_over, lists_of[MAX_PANELS];

ImGuiWindow *root_of(const ImDrawList *list)
{
    for (ImGuiWindow *window : ImGui::GetCurrentContext()->Windows)
        if (window->DrawList == list)
            return window->RootWindow;
    return nullptr;
}

// Assigns the draw lists of this frame to the panels and to what lies over them.
void sort_lists(const ImDrawData *data)
{
    lists_over.resize(0);
    for (int p = 0; p < panel_count; ++p)
        lists_of[p].resize(0);
    for (int k = 0; k < data->CmdListsCount; ++k) {
        ImGuiWindow *root = root_of(data->CmdLists[k]);
        int p = 0;
        while (p < panel_count && panels[p].window != root)
            ++p;
        (p < panel_count ? lists_of[p] : lists_over).push_back(data->CmdLists[k]);
    }
}

void draw_lists(ImVector<ImDrawList *> &lists)
{
    ImDrawData part = *ImGui::GetDrawData();
    part.CmdLists = lists.Data;
    part.CmdListsCount = lists.Size;
    if (lists.Size > 0)
        ImGui_ImplOpenGL3_RenderDrawData(&part);
}

uint64_t stir(uint64_t hash, const void *data, size_t bytes)
{
    const char *at = (const char *)data;
    for (uint64_t word; bytes > 0; bytes -= ImMin(bytes, sizeof word), at += sizeof word) {
        word = 0;
        memcpy(&word, at, ImMin(bytes, sizeof word));
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

uint64_t hash_of(const panel &p, const ImVector<ImDrawList *> &lists)
{
    ImRect place = p.window->Rect();
    uint64_t hash = stir(1, &place, sizeof place);
    for (const ImDrawList *list : lists) {
        for (const ImDrawCmd &command : list->CmdBuffer)
            hash = stir(hash, &command.ClipRect, sizeof command.ClipRect);
        hash = stir(hash, list->VtxBuffer.Data, (size_t)list->VtxBuffer.size_in_bytes());
        hash = stir(hash, list->IdxBuffer.Data, (size_t)list->IdxBuffer.size_in_bytes());
    }
    return hash;
}

bool pointed_at(const panel &p)
{
    const ImGuiContext &g = *ImGui::GetCurrentContext();
    return (g.HoveredWindow && g.HoveredWindow->RootWindow == p.window) ||
           (g.ActiveIdWindow && g.ActiveIdWindow->RootWindow == p.window);
}

// A picture as large as the window; a new one shows nothing yet.
void fit_picture(int width, int height)
{
    if (kept_texture && kept_width == width && kept_height == height)
        return;
    if (!kept_texture) {
        glGenTextures(1, &kept_texture);
        glGenFramebuffers(1, &kept_framebuffer);
    }
    glBindTexture(GL_TEXTURE_2D, kept_texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_BGRA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, kept_framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, kept_texture, 0);
    kept_width = width;
    kept_height = height;
    kept_count = 0;
}

// Top row first.
void turn_over(ImVector<ImDrawList *> &lists)
{
    float height = ImGui::GetDrawData()->DisplaySize.y;
    for (ImDrawList *list : lists) {
        for (ImDrawVert &vertex : list->VtxBuffer)
            vertex.pos.y = height - vertex.pos.y;
        for (ImDrawCmd &command : list->CmdBuffer) {
            ImVec4 clip = command.ClipRect;
            command.ClipRect = ImVec4(clip.x, height - clip.w, clip.z, height - clip.y);
        }
    }
}

void draw_panel(panel &p, ImVector<ImDrawList *> &lists)
{
    ImVec2 scale = ImGui::GetDrawData()->FramebufferScale;
    ImRect place = p.window->Rect();
    ImVec4 ground = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
    glEnable(GL_SCISSOR_TEST);
    glScissor((int)(place.Min.x * scale.x), (int)(place.Min.y * scale.y), (int)std::ceil(place.GetWidth() * scale.x),
              (int)std::ceil(place.GetHeight() * scale.y));
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    turn_over(lists);
    draw_lists(lists);
}

void renew_panels()
{
    const ImDrawData *data = ImGui::GetDrawData();
    fit_picture((int)(data->DisplaySize.x * data->FramebufferScale.x),
                (int)(data->DisplaySize.y * data->FramebufferScale.y));
    glBindFramebuffer(GL_FRAMEBUFFER, kept_framebuffer);
    panels_stale = false;
    for (int p = 0; p < panel_count; ++p) {
        for (int k = 0; k < kept_count; ++k)
            if (kept_panels[k].window == panels[p].window)
                panels[p] = kept_panels[k];
        uint64_t hash = hash_of(panels[p], lists_of[p]);
        double now = ImGui::GetTime();
        if (hash == panels[p].drawn)
            continue;
        if (panels[p].drawn && !pointed_at(panels[p]) && now - panels[p].drawn_at < max_age) {
            panels_stale = true;
            continue;
        }
        draw_panel(panels[p], lists_of[p]);
        panels[p].drawn = hash;
        panels[p].drawn_at = now;
    }
    memcpy(kept_panels, panels, sizeof panels);
    kept_count = panel_count;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

// Copies a part of the picture into the window, px from the top left corner.
void show_part(float x0, float y0, float x1, float y1)
{
    ImVec2 scale = ImGui::GetDrawData()->FramebufferScale;
    int left = (int)(x0 * scale.x), right = (int)(x1 * scale.x);
    int top = (int)(y0 * scale.y), bottom = (int)(y1 * scale.y);
    if (right > left && bottom > top)
        glBlitFramebuffer(left, top, right, bottom, left, kept_height - top, right, kept_height - bottom,
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

} // namespace

void ui_panels_begin() { panel_count = 0; }

void ui_panels_keep()
{
    if (panel_count < MAX_PANELS)
        panels[panel_count++] = {ImGui::GetCurrentWindow(), 0, 0};
}

void ui_panels_end()
{
    sort_lists(ImGui::GetDrawData());
    renew_panels();
}

void ui_panels_forget()
{
    glDeleteFramebuffers(1, &kept_framebuffer);
    glDeleteTextures(1, &kept_texture);
    kept_texture = kept_framebuffer = 0;
    lists_over.clear();
    for (auto &lists : lists_of)
        lists.clear();
}

bool ui_stale(void) { return panels_stale; }

void ui_present(ui_rect hole)
{
    float width = ImGui::GetDrawData()->DisplaySize.x, height = ImGui::GetDrawData()->DisplaySize.y;
    float right = hole.x + hole.width, bottom = hole.y + hole.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, kept_framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    show_part(0, 0, hole.x, height);
    show_part(right, 0, width, height);
    show_part(hole.x, 0, right, hole.y);
    show_part(hole.x, bottom, right, height);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    draw_lists(lists_over);
}
