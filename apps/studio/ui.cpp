// The face of Dear ImGui (1.86) for the studio's panels: theme, rows, tiles, plots. The only C++ file of Telar.
#include "studio/ui.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <imgui_internal.h>

namespace {

const ImVec4 accent(0.22f, 0.62f, 0.64f, 1), accent_bright(0.30f, 0.74f, 0.76f, 1), dim_text(0.58f, 0.62f, 0.66f, 1);
const ImVec4 warning(0.93f, 0.66f, 0.24f, 1), alarm_color(0.88f, 0.34f, 0.30f, 1);
const float font_size = 14, small_size = 12, label_share = 0.43f, reset_width = 22;

ImFont *bold_font, *small_font;
char typed_text[640];

// ---- where things are ------------------------------------------------------------------------------------------

struct place_entry {
    char id[96];
    ui_rect rect;
};
place_entry places[1024], shown_places[1024];
int place_count, shown_count;

// Remembers the visible part of the last item; items that are mostly scrolled away are left out.
void remember(const char *id)
{
    ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImRect clip = ImGui::GetCurrentWindow()->ClipRect;
    float x0 = ImMax(low.x, clip.Min.x), y0 = ImMax(low.y, clip.Min.y);
    float x1 = ImMin(high.x, clip.Max.x), y1 = ImMin(high.y, clip.Max.y);
    if (place_count == IM_ARRAYSIZE(places) || x1 - x0 < 2 || y1 - y0 < 0.6f * (high.y - low.y))
        return;
    place_entry &entry = places[place_count++];
    snprintf(entry.id, sizeof entry.id, "%s", id);
    entry.rect = {x0, y0, x1 - x0, y1 - y0};
}

ImU32 color_of(ui_shade s) { return ImGui::ColorConvertFloat4ToU32(ImVec4(s.r, s.g, s.b, s.a)); }

void tooltip(const char *text)
{
    if (!text || !text[0] || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 24);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

// ---- theme -----------------------------------------------------------------------------------------------------

void set_sizes(ImGuiStyle &style)
{
    style.WindowPadding = ImVec2(10, 8);
    style.FramePadding = ImVec2(6, 3);
    style.ItemSpacing = ImVec2(6, 4);
    style.ItemInnerSpacing = ImVec2(5, 4);
    style.IndentSpacing = 12;
    style.ScrollbarSize = 11;
    style.GrabMinSize = 9;
    style.WindowBorderSize = 0;
    style.PopupBorderSize = 1;
    style.FrameRounding = 3;
    style.GrabRounding = 2;
    style.ScrollbarRounding = 4;
    style.PopupRounding = 4;
    style.AntiAliasedLinesUseTex = false; // these need a smoothed font texture, which is read slower
    style.WindowTitleAlign = ImVec2(0, 0.5f);
    style.WindowMenuButtonPosition = ImGuiDir_None;
}

void set_colors(ImVec4 *c)
{
    c[ImGuiCol_Text] = ImVec4(0.88f, 0.90f, 0.91f, 1);
    c[ImGuiCol_TextDisabled] = dim_text;
    c[ImGuiCol_WindowBg] = ImVec4(0.125f, 0.135f, 0.148f, 1);
    c[ImGuiCol_ChildBg] = ImVec4(0, 0, 0, 0);
    c[ImGuiCol_PopupBg] = ImVec4(0.15f, 0.16f, 0.175f, 0.98f);
    c[ImGuiCol_Border] = ImVec4(0.25f, 0.27f, 0.29f, 1);
    c[ImGuiCol_FrameBg] = ImVec4(0.19f, 0.205f, 0.225f, 1);
    c[ImGuiCol_FrameBgHovered] = ImVec4(0.23f, 0.25f, 0.275f, 1);
    c[ImGuiCol_FrameBgActive] = ImVec4(0.25f, 0.28f, 0.30f, 1);
    c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = c[ImGuiCol_TitleBgCollapsed] = ImVec4(0.165f, 0.178f, 0.195f, 1);
    c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
    c[ImGuiCol_ScrollbarGrab] = ImVec4(0.28f, 0.30f, 0.33f, 1);
    c[ImGuiCol_CheckMark] = accent_bright;
    c[ImGuiCol_SliderGrab] = ImVec4(accent.x, accent.y, accent.z, 0.62f); // the number under it stays readable
    c[ImGuiCol_SliderGrabActive] = accent_bright;
    c[ImGuiCol_Button] = ImVec4(0.22f, 0.24f, 0.265f, 1);
    c[ImGuiCol_ButtonHovered] = ImVec4(0.28f, 0.31f, 0.34f, 1);
    c[ImGuiCol_ButtonActive] = accent;
    c[ImGuiCol_Header] = ImVec4(0.18f, 0.195f, 0.215f, 1);
    c[ImGuiCol_HeaderHovered] = ImVec4(0.23f, 0.25f, 0.275f, 1);
    c[ImGuiCol_HeaderActive] = ImVec4(0.25f, 0.28f, 0.30f, 1);
    c[ImGuiCol_Separator] = ImVec4(0.22f, 0.24f, 0.26f, 1);
    c[ImGuiCol_TextSelectedBg] = ImVec4(accent.x, accent.y, accent.z, 0.45f);
    c[ImGuiCol_NavHighlight] = accent;
}

// The first font that is there; ImGui's own otherwise, which knows ² ³ · ° but little else.
void load_fonts()
{
    static const char *const files[][2] = {
        {"/usr/share/fonts/truetype/dejavu/DejaVuSansCondensed.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSansCondensed-Bold.ttf"},
        {"/usr/share/fonts/TTF/DejaVuSansCondensed.ttf", "/usr/share/fonts/TTF/DejaVuSansCondensed-Bold.ttf"},
        {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"},
        {"/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf", "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf"},
        {"/Library/Fonts/Arial Unicode.ttf", "/Library/Fonts/Arial Unicode.ttf"}};
    static const ImWchar ranges[] = {0x20, 0x17f, 0x370, 0x3ff, 0x2010, 0x2027, 0x2190, 0x2193, 0x2212, 0x2212, 0};
    ImFontAtlas *atlas = ImGui::GetIO().Fonts;
    for (auto &pair : files) {
        FILE *regular = fopen(pair[0], "rb"), *bold = fopen(pair[1], "rb");
        bool there = regular && bold;
        if (regular)
            fclose(regular);
        if (bold)
            fclose(bold);
        if (there && atlas->AddFontFromFileTTF(pair[0], font_size, nullptr, ranges)) {
            bold_font = atlas->AddFontFromFileTTF(pair[1], font_size, nullptr, ranges);
            small_font = atlas->AddFontFromFileTTF(pair[0], small_size, nullptr, ranges);
            return;
        }
    }
    bold_font = small_font = atlas->AddFontDefault();
}

// ---- rows ------------------------------------------------------------------------------------------------------

// An arrow in a circle, the sign for "back to the default".
void draw_reset(ImDrawList *list, ImVec2 center, float radius, ImU32 color, float width)
{
    list->PathArcTo(center, radius, -2.4f, 2.6f, 20);
    list->PathStroke(color, 0, width);
    ImVec2 tip(center.x + radius * std::cos(-2.4f), center.y + radius * std::sin(-2.4f));
    float a = radius * 0.75f;
    list->AddTriangleFilled(ImVec2(tip.x - a * 0.75f, tip.y + a * 0.45f), ImVec2(tip.x + a * 0.85f, tip.y + a * 0.35f),
                            ImVec2(tip.x - a * 0.1f, tip.y - a * 0.85f), color);
}

// Label on the left, then the cursor where the widget goes with its width set.
void row_label(const ui_field *field)
{
    ImGui::PushID(field->id);
    float start = ImGui::GetCursorPosX(), whole = ImGui::GetContentRegionAvail().x;
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(field->label);
    tooltip(field->help);
    if (field->unit && field->unit[0]) {
        ImGui::SameLine(0, 5);
        ImGui::TextDisabled("%s", field->unit);
        tooltip(field->help);
    }
    float column = ImMax(whole * label_share, 84.0f);
    ImGui::SameLine(start + column);
    ImGui::SetNextItemWidth(ImMax(whole - column - reset_width, 40.0f));
}

// The menu behind a right click: the value as text, and the default.
int row_menu(const ui_field *field)
{
    int done = 0;
    if (!ImGui::BeginPopupContextItem("menu"))
        return 0;
    ImGui::TextDisabled("%s", field->id);
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 22);
    ImGui::TextUnformatted(field->help ? field->help : "");
    if (field->waits)
        ImGui::TextDisabled("Changing it starts the scene again.");
    ImGui::PopTextWrapPos();
    ImGui::SetNextItemWidth(180);
    if (ImGui::IsWindowAppearing())
        typed_text[0] = 0;
    bool entered = ImGui::InputTextWithHint("##typed", "type a value, then Enter", typed_text, sizeof typed_text, ImGuiInputTextFlags_EnterReturnsTrue);
    char id[110];
    snprintf(id, sizeof id, "%s:typed", field->id);
    remember(id);
    if (entered) {
        done |= UI_TYPED;
        ImGui::CloseCurrentPopup();
    }
    char text[160];
    snprintf(text, sizeof text, "Reset to %s", field->standard && field->standard[0] ? field->standard : "default");
    if (ImGui::MenuItem(text, nullptr, false, field->differs))
        done |= UI_RESET;
    ImGui::EndPopup();
    return done;
}

// Numbers being typed into a slider count when they are finished: "37" must not become 3 on its way.
struct {
    char id[96];
    double values[3];
} typing;

bool finish_typing(const ui_field *field, double *values, int count, bool changed)
{
    ImGuiContext &g = *ImGui::GetCurrentContext();
    bool own = strcmp(typing.id, field->id) == 0;
    if (ImGui::IsItemActive() && g.ActiveId != 0 && g.ActiveId == g.TempInputId) {
        if (changed) {
            snprintf(typing.id, sizeof typing.id, "%s", field->id);
            memcpy(typing.values, values, (size_t)count * sizeof *values);
        }
        return false;
    }
    if (!own)
        return changed;
    typing.id[0] = 0;
    if (!ImGui::IsItemDeactivated() || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)))
        return false;
    memcpy(values, typing.values, (size_t)count * sizeof *values);
    return true;
}

// After the widget: where it is, its tooltip and menu, and the reset button when there is something to reset.
int row_end(const ui_field *field, bool changed)
{
    int done = changed ? UI_CHANGED : 0;
    if (ImGui::IsItemDeactivatedAfterEdit())
        done |= UI_DONE;
    remember(field->id);
    if (!ImGui::IsItemActive())
        tooltip(field->help);
    done |= row_menu(field);
    if (field->differs) {
        ImGui::SameLine(0, 3);
        if (ImGui::InvisibleButton("##reset", ImVec2(reset_width - 5, ImGui::GetFrameHeight())))
            done |= UI_RESET;
        char id[110], text[200];
        snprintf(id, sizeof id, "%s:reset", field->id);
        remember(id);
        snprintf(text, sizeof text, "Reset to %s", field->standard && field->standard[0] ? field->standard : "default");
        tooltip(text);
        ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
        ImU32 color = ImGui::GetColorU32(ImGui::IsItemHovered() ? accent_bright : dim_text);
        draw_reset(ImGui::GetWindowDrawList(), ImVec2((low.x + high.x) / 2, (low.y + high.y) / 2), 4.5f, color, 1.4f);
    }
    ImGui::PopID();
    return done;
}

} // namespace

// ---- the frame -------------------------------------------------------------------------------------------------

// ImGui 1.86 looks at keys once a frame and would miss one that was pressed and let go in between, as happens when frames
// are slow: such a key is let go after the frame.
static struct {
    int key, code, modifiers;
} late_keys[16];
static int late_count;
static bool fresh_keys[GLFW_KEY_LAST + 1]; // pressed since the last frame
static GLFWkeyfun backend_key;

static void on_key(GLFWwindow *window, int key, int code, int action, int modifiers)
{
    bool known = key >= 0 && key <= GLFW_KEY_LAST;
    if (known && action == GLFW_RELEASE && fresh_keys[key] && late_count < IM_ARRAYSIZE(late_keys)) {
        late_keys[late_count++] = {key, code, modifiers};
        return;
    }
    if (known && action == GLFW_PRESS)
        fresh_keys[key] = true;
    backend_key(window, key, code, action, modifiers);
}

static void let_go_late_keys()
{
    int count = late_count;
    late_count = 0;
    memset(fresh_keys, 0, sizeof fresh_keys);
    for (int k = 0; k < count; ++k)
        backend_key(glfwGetCurrentContext(), late_keys[k].key, late_keys[k].code, GLFW_RELEASE, late_keys[k].modifiers);
}

bool ui_create(GLFWwindow *window)
{
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // the layout is the studio's own and remembered by it
    ImGui::GetIO().ConfigWindowsMoveFromTitleBarOnly = true;
    load_fonts();
    set_sizes(ImGui::GetStyle());
    ImGui::StyleColorsDark();
    set_colors(ImGui::GetStyle().Colors);
    if (!ImGui_ImplGlfw_InitForOpenGL(window, true) || !ImGui_ImplOpenGL3_Init("#version 330 core"))
        return false;
    backend_key = glfwSetKeyCallback(window, on_key);
    return true;
}

void ui_destroy(void)
{
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

// Letters lie on whole pixels, so the nearest texel is the right one, and software OpenGL reads it much faster.
static void sharpen_font()
{
    static bool done;
    if (done)
        return;
    glBindTexture(GL_TEXTURE_2D, (GLuint)(intptr_t)ImGui::GetIO().Fonts->TexID);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    done = true;
}

void ui_begin(void)
{
    ImGui_ImplOpenGL3_NewFrame();
    sharpen_font();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    place_count = 0;
}

void ui_end(void)
{
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    memcpy(shown_places, places, sizeof(place_entry) * (size_t)place_count);
    shown_count = place_count;
    let_go_late_keys();
}

bool ui_typing(void) { return ImGui::GetIO().WantTextInput; }
bool ui_active(void)
{
    return ImGui::IsAnyItemActive() || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}
bool ui_close_popups(void)
{
    bool open = ImGui::GetCurrentContext()->OpenPopupStack.Size > 0;
    if (open)
        ImGui::ClosePopupToLevel(0, false);
    return open;
}
float ui_line_height(void) { return ImGui::GetFrameHeightWithSpacing(); }
int ui_place_count(void) { return shown_count; }
const char *ui_place(int index, ui_rect *place)
{
    *place = shown_places[index].rect;
    return shown_places[index].id;
}

// ---- windows ---------------------------------------------------------------------------------------------------

void ui_background(float color[3])
{
    ImVec4 c = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
    color[0] = c.x;
    color[1] = c.y;
    color[2] = c.z;
}

void ui_panel_begin(const char *title, ui_rect place)
{
    ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
    ImGui::SetNextWindowSize(ImVec2(place.width, place.height));
    ImFont *regular = ImGui::GetFont(); // PushFont would be undone in another window than it was done in
    ImGui::SetCurrentFont(bold_font);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin(title, nullptr, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::PopStyleVar();
    ImGui::SetCurrentFont(regular);
}

void ui_panel_end(void) { ImGui::End(); }

void ui_dialog_begin(const char *title, ui_rect place, bool *open)
{
    ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
    ImGui::SetNextWindowSize(ImVec2(place.width, place.height));
    ImFont *regular = ImGui::GetFont();
    ImGui::SetCurrentFont(bold_font);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(16, 12));
    ImGui::Begin(title, open, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar(3);
    ImGui::SetCurrentFont(regular);
}

void ui_dialog_end(void) { ImGui::End(); }

void ui_part_begin(const char *id, float width, float height) { ImGui::BeginChild(id, ImVec2(width, height), false); }
void ui_part_end(void) { ImGui::EndChild(); }

float ui_splitter(const char *id, ui_rect place, bool vertical)
{
    ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
    ImGui::SetNextWindowSize(ImVec2(place.width, place.height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin(id, nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::InvisibleButton(id, ImVec2(place.width, place.height));
    remember(id);
    bool held = ImGui::IsItemActive(), lit = held || ImGui::IsItemHovered();
    if (lit)
        ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(place.x, place.y), ImVec2(place.x + place.width, place.y + place.height),
                                              lit ? ImGui::GetColorU32(accent) : IM_COL32(22, 24, 27, 255));
    ImGui::End();
    ImGui::PopStyleVar(3);
    ImVec2 moved = ImGui::GetIO().MouseDelta;
    return !held ? 0 : vertical ? moved.x : moved.y;
}

// ---- fields ----------------------------------------------------------------------------------------------------

int ui_real(const ui_field *field, double *value, double low, double high, bool logarithmic)
{
    row_label(field);
    double before = *value;
    bool changed = ImGui::SliderScalar("##value", ImGuiDataType_Double, value, &low, &high, "%.4g", logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    changed = finish_typing(field, value, 1, changed && *value != before);
    return row_end(field, changed);
}

int ui_int(const ui_field *field, int *value, int low, int high, bool logarithmic)
{
    row_label(field);
    bool changed = high > low ? ImGui::SliderInt("##value", value, low, high, "%d", logarithmic ? ImGuiSliderFlags_Logarithmic : 0)
                              : ImGui::InputInt("##value", value, 1, 100);
    double number = *value;
    changed = finish_typing(field, &number, 1, changed);
    *value = (int)number;
    return row_end(field, changed);
}

int ui_bool(const ui_field *field, bool *value)
{
    row_label(field);
    bool changed = ImGui::Checkbox("##value", value);
    int done = row_end(field, changed);
    return changed ? done | UI_DONE : done;
}

int ui_vec3(const ui_field *field, double value[3], double speed)
{
    row_label(field);
    bool changed = ImGui::DragScalarN("##value", ImGuiDataType_Double, value, 3, (float)speed, nullptr, nullptr, "%.3g");
    changed = finish_typing(field, value, 3, changed);
    return row_end(field, changed);
}

int ui_color(const ui_field *field, double value[3])
{
    row_label(field);
    float color[3] = {(float)value[0], (float)value[1], (float)value[2]};
    bool changed = ImGui::ColorEdit3("##value", color, ImGuiColorEditFlags_Float | ImGuiColorEditFlags_NoInputs | ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoOptions);
    for (int c = 0; changed && c < 3; ++c)
        value[c] = color[c];
    return row_end(field, changed);
}

int ui_name(const ui_field *field, const char *const *names, int *index, const char *(*describe)(const char *))
{
    row_label(field);
    bool changed = false;
    bool open = ImGui::BeginCombo("##value", names[*index] ? names[*index] : "", ImGuiComboFlags_HeightLarge);
    if (open) {
        for (int k = 0; names[k]; ++k) {
            if (ImGui::Selectable(names[k], k == *index)) {
                changed = k != *index;
                *index = k;
            }
            char id[160];
            snprintf(id, sizeof id, "%s=%s", field->id, names[k]);
            remember(id);
            const char *text = describe ? describe(names[k]) : nullptr;
            tooltip(text);
        }
        ImGui::EndCombo();
    }
    int done = row_end(field, changed);
    return changed ? done | UI_DONE : done;
}

int ui_text(const ui_field *field, char *text, int size)
{
    row_label(field);
    bool changed = ImGui::InputText("##value", text, (size_t)size);
    return row_end(field, changed);
}

const char *ui_typed(void) { return typed_text; }

// ---- groups ----------------------------------------------------------------------------------------------------

bool ui_group_begin(const char *id, const char *label, const char *help, bool open, bool *check, bool *checked)
{
    ImGui::PushID(id);
    float width = ImGui::GetContentRegionAvail().x;
    float start = ImGui::GetCursorPosX();
    ImGui::SetNextItemOpen(open, ImGuiCond_Once);
    if (check && !*check)
        ImGui::PushStyleColor(ImGuiCol_Text, dim_text);
    bool shown = ImGui::TreeNodeEx("##group", ImGuiTreeNodeFlags_SpanAvailWidth | ImGuiTreeNodeFlags_AllowItemOverlap | ImGuiTreeNodeFlags_FramePadding, "%s", label);
    if (check && !*check)
        ImGui::PopStyleColor();
    char place[110];
    snprintf(place, sizeof place, "%s:group", id);
    remember(place);
    tooltip(help);
    if (check) {
        ImGui::SameLine(start + ImMax(width * label_share, 84.0f));
        *checked = ImGui::Checkbox("##on", check);
        snprintf(place, sizeof place, "%s.on", id);
        remember(place);
        tooltip(help);
    }
    if (!shown)
        ImGui::PopID();
    return shown;
}

void ui_group_end(void)
{
    ImGui::TreePop();
    ImGui::PopID();
}

bool ui_object_begin(const char *id, const char *label, const char *help, bool open, bool *removed)
{
    ImGui::PushID(id);
    ImGui::SetNextItemOpen(open, ImGuiCond_Once);
    bool stays = true;
    bool shown = removed ? ImGui::CollapsingHeader(label, &stays) : ImGui::CollapsingHeader(label);
    char place[110];
    snprintf(place, sizeof place, "%s:object", id);
    remember(place);
    tooltip(help);
    if (removed)
        *removed = !stays;
    if (!shown) {
        ImGui::PopID();
        return false;
    }
    ImGui::Indent(4);
    return true;
}

void ui_object_end(void)
{
    ImGui::Unindent(4);
    ImGui::Dummy(ImVec2(0, 2));
    ImGui::PopID();
}

// ---- plain widgets ---------------------------------------------------------------------------------------------

void ui_heading(const char *text)
{
    ImGui::PushFont(bold_font);
    ImGui::TextColored(accent_bright, "%s", text);
    ImGui::PopFont();
}
void ui_label(const char *text) { ImGui::TextUnformatted(text); }
void ui_dim(const char *text) { ImGui::TextDisabled("%s", text); }
void ui_wrapped(const char *text)
{
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
}
void ui_pair(const char *name, const char *value, float column)
{
    float start = ImGui::GetCursorPosX();
    ImGui::TextDisabled("%s", name);
    ImGui::SameLine(start + column);
    ImGui::TextUnformatted(value);
}
void ui_gap(float pixels) { ImGui::Dummy(ImVec2(0, pixels)); }
void ui_same_line(void) { ImGui::SameLine(); }
void ui_separator(void) { ImGui::Separator(); }

bool ui_button(const char *id, const char *label, const char *help, float width)
{
    ImGui::PushID(id);
    bool pressed = ImGui::Button(label, ImVec2(width < 0 ? ImGui::GetContentRegionAvail().x : width, 0));
    remember(id);
    tooltip(help);
    ImGui::PopID();
    return pressed;
}

bool ui_check(const char *id, const char *label, const char *help, bool *value)
{
    ImGui::PushID(id);
    bool changed = ImGui::Checkbox(label, value);
    remember(id);
    tooltip(help);
    ImGui::PopID();
    return changed;
}

bool ui_choice(const char *id, const char *const *labels, int count, int *index)
{
    bool changed = false;
    float width = (ImGui::GetContentRegionAvail().x - 4 * (float)(count - 1)) / (float)count;
    for (int k = 0; k < count; ++k) {
        bool chosen = k == *index;
        char place[110];
        snprintf(place, sizeof place, "%s=%s", id, labels[k]);
        ImGui::PushID(place);
        if (k > 0)
            ImGui::SameLine(0, 4);
        if (chosen)
            ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(accent.x * 0.75f, accent.y * 0.75f, accent.z * 0.75f, 1));
        if (ImGui::Button(labels[k], ImVec2(width, 0)) && !chosen) {
            *index = k;
            changed = true;
        }
        if (chosen)
            ImGui::PopStyleColor();
        remember(place);
        ImGui::PopID();
    }
    return changed;
}

float ui_available_width(void) { return ImGui::GetContentRegionAvail().x; }
float ui_available_height(void) { return ImGui::GetContentRegionAvail().y; }

bool ui_input(const char *id, char *text, int size, bool take_focus)
{
    ImGui::PushID(id);
    if (take_focus)
        ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    bool entered = ImGui::InputText("##input", text, (size_t)size, ImGuiInputTextFlags_EnterReturnsTrue);
    remember(id);
    ImGui::PopID();
    return entered;
}

// ---- icons -----------------------------------------------------------------------------------------------------

static void draw_icon(ImDrawList *list, ui_icon icon, ImVec2 c, float r, ImU32 color)
{
    const float w = 1.8f;
    switch (icon) {
    case UI_PLAY:
        list->AddTriangleFilled(ImVec2(c.x - r * 0.7f, c.y - r), ImVec2(c.x + r, c.y), ImVec2(c.x - r * 0.7f, c.y + r), color);
        break;
    case UI_PAUSE:
        list->AddRectFilled(ImVec2(c.x - r * 0.8f, c.y - r), ImVec2(c.x - r * 0.2f, c.y + r), color, 1);
        list->AddRectFilled(ImVec2(c.x + r * 0.2f, c.y - r), ImVec2(c.x + r * 0.8f, c.y + r), color, 1);
        break;
    case UI_STEP:
        list->AddTriangleFilled(ImVec2(c.x - r, c.y - r), ImVec2(c.x + r * 0.4f, c.y), ImVec2(c.x - r, c.y + r), color);
        list->AddRectFilled(ImVec2(c.x + r * 0.5f, c.y - r), ImVec2(c.x + r, c.y + r), color, 1);
        break;
    case UI_RESET_ICON: draw_reset(list, c, r * 0.85f, color, w); break;
    case UI_RECORD: list->AddCircleFilled(c, r * 0.85f, color, 24); break;
    case UI_STOP: list->AddRectFilled(ImVec2(c.x - r * 0.8f, c.y - r * 0.8f), ImVec2(c.x + r * 0.8f, c.y + r * 0.8f), color, 2); break;
    case UI_CAMERA:
        list->AddRect(ImVec2(c.x - r * 1.15f, c.y - r * 0.65f), ImVec2(c.x + r * 1.15f, c.y + r * 0.85f), color, 2, 0, w);
        list->AddRectFilled(ImVec2(c.x - r * 0.4f, c.y - r), ImVec2(c.x + r * 0.4f, c.y - r * 0.6f), color, 1);
        list->AddCircle(ImVec2(c.x, c.y + r * 0.1f), r * 0.42f, color, 16, w);
        break;
    case UI_BALL:
        list->AddCircleFilled(ImVec2(c.x, c.y - r * 0.35f), r * 0.6f, color, 20);
        list->AddLine(ImVec2(c.x - r, c.y + r * 0.6f), ImVec2(c.x, c.y + r * 0.95f), color, w);
        list->AddLine(ImVec2(c.x, c.y + r * 0.95f), ImVec2(c.x + r, c.y + r * 0.6f), color, w);
        break;
    case UI_COMPARE:
        list->AddRect(ImVec2(c.x - r * 1.1f, c.y - r * 0.85f), ImVec2(c.x + r * 1.1f, c.y + r * 0.85f), color, 1, 0, w);
        list->AddLine(ImVec2(c.x, c.y - r * 0.85f), ImVec2(c.x, c.y + r * 0.85f), color, w);
        break;
    case UI_HELP: {
        ImVec2 size = bold_font->CalcTextSizeA(font_size, 100, 0, "?");
        list->AddText(bold_font, font_size, ImVec2(c.x - size.x / 2, c.y - size.y / 2), color, "?");
        break;
    }
    case UI_OPEN:
        list->AddRect(ImVec2(c.x - r, c.y - r * 0.5f), ImVec2(c.x + r, c.y + r * 0.8f), color, 1, 0, w);
        list->AddRectFilled(ImVec2(c.x - r, c.y - r * 0.95f), ImVec2(c.x - r * 0.1f, c.y - r * 0.45f), color, 1);
        break;
    case UI_SAVE:
        list->AddLine(ImVec2(c.x, c.y - r), ImVec2(c.x, c.y + r * 0.3f), color, w);
        list->AddTriangleFilled(ImVec2(c.x - r * 0.6f, c.y - r * 0.1f), ImVec2(c.x + r * 0.6f, c.y - r * 0.1f), ImVec2(c.x, c.y + r * 0.6f), color);
        list->AddLine(ImVec2(c.x - r, c.y + r), ImVec2(c.x + r, c.y + r), color, w);
        break;
    }
}

bool ui_icon_button(const char *id, ui_icon icon, const char *help, bool active, float size)
{
    ImGui::PushID(id);
    if (active)
        ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(accent.x * 0.75f, accent.y * 0.75f, accent.z * 0.75f, 1));
    bool pressed = ImGui::Button("##icon", ImVec2(size, size * 0.86f));
    if (active)
        ImGui::PopStyleColor();
    remember(id);
    tooltip(help);
    ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    bool red = icon == UI_RECORD || icon == UI_STOP;
    draw_icon(ImGui::GetWindowDrawList(), icon, ImVec2((low.x + high.x) / 2, (low.y + high.y) / 2), size * 0.19f,
              ImGui::GetColorU32(red ? alarm_color : ImGui::GetStyle().Colors[ImGuiCol_Text]));
    ImGui::PopID();
    return pressed;
}

// ---- cards -----------------------------------------------------------------------------------------------------

bool ui_card(const char *id, unsigned texture, const char *title, const char *text, float width, float picture_height,
             float text_height, bool selected)
{
    ImGui::PushID(id);
    ImVec2 at = ImGui::GetCursorScreenPos();
    bool pressed = ImGui::InvisibleButton("##card", ImVec2(width, picture_height + text_height));
    remember(id);
    bool hovered = ImGui::IsItemHovered();
    ImDrawList *list = ImGui::GetWindowDrawList();
    ImVec2 end(at.x + width, at.y + picture_height + text_height), edge(at.x + width, at.y + picture_height);
    list->AddRectFilled(at, end, ImGui::GetColorU32(hovered ? ImGuiCol_FrameBgHovered : ImGuiCol_FrameBg), 5);
    if (texture)
        list->AddImageRounded((ImTextureID)(intptr_t)texture, at, edge, ImVec2(0, 0), ImVec2(1, 1), IM_COL32_WHITE, 5, ImDrawFlags_RoundCornersTop);
    else
        list->AddText(ImVec2(at.x + width / 2 - 30, at.y + picture_height / 2 - 7), ImGui::GetColorU32(ImGuiCol_TextDisabled), "drawing …");
    if (hovered || selected)
        list->AddRect(at, end, ImGui::GetColorU32(selected ? accent_bright : accent), 5, 0, 1.5f);
    list->PushClipRect(at, ImVec2(end.x - 8, end.y - 4), true);
    list->AddText(bold_font, font_size, ImVec2(at.x + 8, edge.y + 6), ImGui::GetColorU32(ImGuiCol_Text), title);
    list->AddText(small_font, small_size, ImVec2(at.x + 8, edge.y + 25), ImGui::GetColorU32(ImGuiCol_TextDisabled), text, nullptr, width - 16);
    list->PopClipRect();
    tooltip(text);
    ImGui::PopID();
    return pressed;
}

// ---- the viewport ----------------------------------------------------------------------------------------------

static ImDrawList *over_viewport;

ui_pointer ui_viewport_begin(ui_rect place)
{
    static bool owned[3]; // buttons pressed in the viewport and not yet let go
    ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
    ImGui::SetNextWindowSize(ImVec2(place.width, place.height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin("Viewport", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
    ImGui::PopStyleVar(2);
    over_viewport = ImGui::GetWindowDrawList();
    ImGui::SetCursorScreenPos(ImVec2(place.x, place.y));
    ImGui::InvisibleButton("viewport", ImVec2(place.width, place.height), ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
    ImGui::SetItemAllowOverlap();
    remember("viewport");
    const ImGuiIO &io = ImGui::GetIO();
    ui_pointer p = {};
    p.inside = ImGui::IsItemHovered();
    p.x = io.MousePos.x - place.x;
    p.y = io.MousePos.y - place.y;
    p.dx = io.MouseDelta.x;
    p.dy = io.MouseDelta.y;
    p.wheel = p.inside ? io.MouseWheel : 0;
    p.shift = io.KeyShift;
    p.control = io.KeyCtrl;
    p.alt = io.KeyAlt;
    for (int b = 0; b < 3; ++b) {
        p.pressed[b] = p.inside && ImGui::IsMouseClicked(b);
        owned[b] = owned[b] || p.pressed[b];
        p.released[b] = owned[b] && !ImGui::IsMouseDown(b);
        p.down[b] = owned[b] && ImGui::IsMouseDown(b);
        owned[b] = p.down[b];
    }
    return p;
}

void ui_viewport_end(void) { ImGui::End(); }

void ui_draw_line(float x0, float y0, float x1, float y1, float width, ui_shade shade) { over_viewport->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), color_of(shade), width); }
void ui_draw_ring(float x, float y, float radius, float width, ui_shade shade) { over_viewport->AddCircle(ImVec2(x, y), radius, color_of(shade), 24, width); }
void ui_draw_box(ui_rect p, ui_shade fill) { over_viewport->AddRectFilled(ImVec2(p.x, p.y), ImVec2(p.x + p.width, p.y + p.height), color_of(fill), 4); }
void ui_draw_text(float x, float y, const char *text, ui_shade shade) { over_viewport->AddText(ImVec2(x, y), color_of(shade), text); }
float ui_text_width(const char *text) { return ImGui::CalcTextSize(text).x; }

void ui_draw_caption(float x, float y, float width, const char *title, const char *const *lines, int count)
{
    float height = 26 + 17 * (float)count;
    over_viewport->AddRectFilled(ImVec2(x, y - height), ImVec2(x + width, y), IM_COL32(24, 26, 29, 205), 5);
    over_viewport->PushClipRect(ImVec2(x, y - height), ImVec2(x + width - 4, y), true);
    over_viewport->AddText(bold_font, font_size, ImVec2(x + 9, y - height + 5), ImGui::GetColorU32(accent_bright), title);
    for (int k = 0; k < count; ++k)
        over_viewport->AddText(ImVec2(x + 9, y - height + 23 + 17 * (float)k), ImGui::GetColorU32(ImGuiCol_Text), lines[k]);
    over_viewport->PopClipRect();
}

int ui_banner(ui_rect place, const char *title, const char *text, const char *first, const char *second, bool alarm)
{
    int answer = 0;
    bool open = true;
    ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
    ImGui::SetNextWindowSizeConstraints(ImVec2(place.width, 0), ImVec2(place.width, place.height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_Border, alarm ? alarm_color : warning);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, alarm ? ImVec4(0.20f, 0.115f, 0.11f, 0.97f) : ImVec4(0.15f, 0.16f, 0.17f, 0.97f));
    ImGui::Begin(alarm ? "##alarm" : "##note", &open, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::PushFont(bold_font);
    ImGui::TextColored(alarm ? alarm_color : warning, "%s", title);
    ImGui::PopFont();
    ui_wrapped(text);
    ui_gap(2);
    const char *labels[] = {first, second, "Dismiss"};
    for (int k = 0; k < 3; ++k) {
        if (!labels[k])
            continue;
        char id[32];
        snprintf(id, sizeof id, "banner.%d", k + 1);
        if (ui_button(id, labels[k], nullptr, 0))
            answer = k + 1;
        ImGui::SameLine();
    }
    ImGui::NewLine();
    ImGui::End();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
    return answer;
}

// ---- plots -----------------------------------------------------------------------------------------------------

static void plot_range(const ui_series *series, int series_count, int count, float *low, float *high)
{
    *low = 0;
    *high = 0;
    for (int s = 0; s < series_count; ++s)
        for (int k = 0; k < count; ++k) {
            float v = series[s].values[k];
            if (std::isfinite(v)) {
                *low = ImMin(*low, v);
                *high = ImMax(*high, v);
            }
        }
    if (!(*high - *low > 0))
        *high = *low + 1;
}

void ui_plot(const char *id, const char *title, const char *unit, const float *x, int count, const ui_series *series,
             int series_count, float height)
{
    float width = ImGui::GetContentRegionAvail().x;
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(id, ImVec2(ImMax(width, 20.0f), ImMax(height, 20.0f)));
    remember(id);
    ImDrawList *list = ImGui::GetWindowDrawList();
    const float top = at.y + 36, bottom = at.y + height - 16, left = at.x, right = at.x + width;
    char text[64];
    snprintf(text, sizeof text, "%s, %s", title, unit);
    list->AddText(bold_font, font_size, ImVec2(left, at.y), ImGui::GetColorU32(ImGuiCol_Text), text);
    float legend = left;
    for (int s = 0; s < series_count; ++s) {
        list->AddRectFilled(ImVec2(legend, at.y + 24), ImVec2(legend + 8, at.y + 27), color_of(series[s].shade));
        list->AddText(small_font, small_size, ImVec2(legend + 11, at.y + 18), ImGui::GetColorU32(ImGuiCol_TextDisabled), series[s].label);
        legend += small_font->CalcTextSizeA(small_size, 1000, 0, series[s].label).x + 16;
    }
    list->AddRectFilled(ImVec2(left, top), ImVec2(right, bottom), ImGui::GetColorU32(ImVec4(0.095f, 0.103f, 0.115f, 1)), 3);
    if (count < 2) {
        list->AddText(ImVec2(left + 8, (top + bottom) / 2 - 7), ImGui::GetColorU32(ImGuiCol_TextDisabled), "no frames yet");
        return;
    }
    float low, high;
    plot_range(series, series_count, count, &low, &high);
    float span_x = x[count - 1] - x[0], span_y = (high - low) * 1.06f;
    auto px = [&](int k) { return left + (right - left) * (span_x > 0 ? (x[k] - x[0]) / span_x : 0); };
    auto py = [&](float v) { return bottom - 2 - (bottom - top - 3) * (v - low) / span_y; };
    list->AddLine(ImVec2(left, py(0)), ImVec2(right, py(0)), ImGui::GetColorU32(ImGuiCol_Separator));
    list->PushClipRect(ImVec2(left, top), ImVec2(right, bottom), true);
    ImVector<ImVec2> points;
    for (int s = 0; s < series_count; ++s) {
        points.resize(0);
        for (int k = 0; k < count; ++k)
            if (std::isfinite(series[s].values[k]))
                points.push_back(ImVec2(px(k), py(series[s].values[k])));
        list->AddPolyline(points.Data, points.Size, color_of(series[s].shade), 0, 1.4f);
    }
    list->PopClipRect();
    ImU32 gray = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    auto number = [&](float y, float value) { // on a ground that keeps it apart from the lines
        snprintf(text, sizeof text, "%.3g", (double)value);
        ImVec2 size = small_font->CalcTextSizeA(small_size, 1000, 0, text);
        list->AddRectFilled(ImVec2(left + 1, y), ImVec2(left + 7 + size.x, y + size.y), IM_COL32(24, 26, 29, 200), 2);
        list->AddText(small_font, small_size, ImVec2(left + 4, y), gray, text);
    };
    number(top + 1, high);
    if (low < 0)
        number(bottom - 14, low);
    snprintf(text, sizeof text, "%.2f s", (double)x[0]);
    list->AddText(small_font, small_size, ImVec2(left, bottom + 2), gray, text);
    snprintf(text, sizeof text, "%.2f s", (double)x[count - 1]);
    float wide = small_font->CalcTextSizeA(small_size, 1000, 0, text).x;
    list->AddText(small_font, small_size, ImVec2(right - wide, bottom + 2), gray, text);
}
