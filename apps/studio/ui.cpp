// Dear ImGui (1.86) for the studio's panels: theme, rows, tiles, plots.
#include "studio/ui.h"
#include "studio/paint.h"
#include "studio/ui_panels.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <imgui_internal.h>

namespace
{

const ImVec4 accent(0.22f, 0.62f, 0.64f, 1), accent_bright(0.30f, 0.74f, 0.76f, 1), dim_text(0.58f, 0.62f, 0.66f, 1);
const ImVec4 alarm_color(0.88f, 0.34f, 0.30f, 1);
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
    style.AntiAliasedFill = false;        // at these small radii it shows nothing but triples the triangles
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
        {"/usr/share/fonts/truetype/dejavu/DejaVuSansCondensed.ttf",
         "/usr/share/fonts/truetype/dejavu/DejaVuSansCondensed-Bold.ttf"},
        {"/usr/share/fonts/TTF/DejaVuSansCondensed.ttf", "/usr/share/fonts/TTF/DejaVuSansCondensed-Bold.ttf"},
        {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"},
        {"/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
         "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf"},
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
    bool entered = ImGui::InputTextWithHint("##typed", "type a value, then Enter", typed_text, sizeof typed_text,
                                            ImGuiInputTextFlags_EnterReturnsTrue);
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

// Numbers typed into a slider are applied when finished: "37" must not become 3 in between.
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

// After the widget: its position, tooltip and menu, and the reset button when it differs from the default.
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
        ImVec4 color = ImGui::IsItemHovered() ? accent_bright : dim_text;
        paint_reset((low.x + high.x) / 2, (low.y + high.y) / 2, 4.5f, 1.4f, {color.x, color.y, color.z, 1});
    }
    ImGui::PopID();
    return done;
}

} // namespace

// ---- the frame -------------------------------------------------------------------------------------------------

// ImGui 1.86 looks at keys once a frame and would miss one that was pressed and let go in between, as happens when
// frames are slow: such a key is released after the frame.
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
    ImGui::GetIO().IniFilename = nullptr; // the studio stores its own layout
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
    ui_panels_forget();
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

// Glyphs lie on whole pixels, so nearest filtering is exact, and much faster in software OpenGL.
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
    ui_panels_begin();
}

void ui_end(void)
{
    ImGui::Render();
    ui_panels_end();
    memcpy(shown_places, places, sizeof(place_entry) * (size_t)place_count);
    shown_count = place_count;
    let_go_late_keys();
}

bool ui_typing(void) { return ImGui::GetIO().WantTextInput; }
bool ui_active(void)
{
    return ImGui::IsAnyItemActive() ||
           ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}
bool ui_close_popups(void)
{
    bool open = ImGui::GetCurrentContext()->OpenPopupStack.Size > 0;
    if (open)
        ImGui::ClosePopupToLevel(0, false);
    return open;
}
int ui_place_count(void) { return shown_count; }
const char *ui_place(int index, ui_rect *place)
{
    *place = shown_places[index].rect;
    return shown_places[index].id;
}

// ---- windows ---------------------------------------------------------------------------------------------------

void ui_panel_begin(const char *title, ui_rect place)
{
    ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
    ImGui::SetNextWindowSize(ImVec2(place.width, place.height));
    ImFont *regular = ImGui::GetFont(); // PushFont would be popped in another window than it was pushed in
    ImGui::SetCurrentFont(bold_font);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin(title, nullptr,
                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
    ui_panels_keep();
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
    ImGui::Begin(title, open,
                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                     ImGuiWindowFlags_NoSavedSettings);
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
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus);
    ui_panels_keep();
    ImGui::InvisibleButton(id, ImVec2(place.width, place.height));
    remember(id);
    bool held = ImGui::IsItemActive(), lit = held || ImGui::IsItemHovered();
    if (lit)
        ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(place.x, place.y),
                                              ImVec2(place.x + place.width, place.y + place.height),
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
    bool changed = ImGui::SliderScalar("##value", ImGuiDataType_Double, value, &low, &high, "%.4g",
                                       logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    changed = finish_typing(field, value, 1, changed && *value != before);
    return row_end(field, changed);
}

int ui_int(const ui_field *field, int *value, int low, int high, bool logarithmic)
{
    row_label(field);
    bool changed =
        high > low ? ImGui::SliderInt("##value", value, low, high, "%d", logarithmic ? ImGuiSliderFlags_Logarithmic : 0)
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
    bool changed =
        ImGui::DragScalarN("##value", ImGuiDataType_Double, value, 3, (float)speed, nullptr, nullptr, "%.3g");
    changed = finish_typing(field, value, 3, changed);
    return row_end(field, changed);
}

int ui_color(const ui_field *field, double value[3])
{
    row_label(field);
    float color[3] = {(float)value[0], (float)value[1], (float)value[2]};
    bool changed = ImGui::ColorEdit3("##value", color,
                                     ImGuiColorEditFlags_Float | ImGuiColorEditFlags_NoInputs |
                                         ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoOptions);
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
    float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - reset_width - ImGui::GetFrameHeight();
    ImGui::SetNextItemOpen(open, ImGuiCond_Once);
    if (check && !*check)
        ImGui::PushStyleColor(ImGuiCol_Text, dim_text);
    bool shown = ImGui::TreeNodeEx("##group",
                                   ImGuiTreeNodeFlags_SpanAvailWidth | ImGuiTreeNodeFlags_AllowItemOverlap |
                                       ImGuiTreeNodeFlags_FramePadding,
                                   "%s", label);
    if (check && !*check)
        ImGui::PopStyleColor();
    char place[110];
    snprintf(place, sizeof place, "%s:group", id);
    remember(place);
    if (!check) // with a switch, one of the two shows the help
        tooltip(help);
    bool hovered = ImGui::IsItemHovered();
    if (check) {
        ImGui::SameLine(right);
        *checked = ImGui::Checkbox("##on", check);
        snprintf(place, sizeof place, "%s.on", id);
        remember(place);
        if (hovered || ImGui::IsItemHovered())
            ImGui::SetTooltip("%s", help);
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

bool ui_toggle(const char *id, const char *label, const char *help, bool active, float width)
{
    if (active)
        ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(accent.x * 0.75f, accent.y * 0.75f, accent.z * 0.75f, 1));
    bool pressed = ui_button(id, label, help, width);
    if (active)
        ImGui::PopStyleColor();
    return pressed;
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

// ---- the viewport ----------------------------------------------------------------------------------------------

ui_pointer ui_viewport_begin(ui_rect place)
{
    static bool owned[3]; // buttons pressed in the viewport and not yet released
    ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
    ImGui::SetNextWindowSize(ImVec2(place.width, place.height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin("Viewport", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
    ImGui::PopStyleVar(2);
    ImGui::SetCursorScreenPos(ImVec2(place.x, place.y));
    ImGui::InvisibleButton("viewport", ImVec2(place.width, place.height),
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                               ImGuiButtonFlags_MouseButtonMiddle);
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

void ui_float_begin(const char *id, ui_rect place, bool alarm)
{
    ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
    ImGui::SetNextWindowSizeConstraints(ImVec2(place.width, 0), ImVec2(place.width, place.height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_Border, alarm ? alarm_color : accent);
    if (alarm)
        ImGui::PushStyleColor(ImGuiCol_WindowBg, ImVec4(0.20f, 0.115f, 0.11f, 0.97f));
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                     ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::PopStyleColor(alarm ? 2 : 1);
    ImGui::PopStyleVar(2);
}

void ui_float_end(void) { ImGui::End(); }

// ---- painting --------------------------------------------------------------------------------------------------

static ImFont *font_of(ui_font font)
{
    return font == UI_BOLD ? bold_font : font == UI_SMALL ? small_font : ImGui::GetIO().Fonts->Fonts[0];
}

static ImDrawList *list() { return ImGui::GetWindowDrawList(); }

float ui_text_width(ui_font font, const char *text)
{
    ImFont *face = font_of(font);
    return face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, text).x;
}

bool ui_canvas(const char *id, float width, float height, const char *help, ui_rect *place, bool *hovered)
{
    ImVec2 at = ImGui::GetCursorScreenPos();
    bool pressed = ImGui::InvisibleButton(id, ImVec2(ImMax(width, 8.0f), ImMax(height, 8.0f)));
    remember(id);
    *hovered = ImGui::IsItemHovered();
    *place = {at.x, at.y, width, height};
    tooltip(help);
    return pressed;
}

bool ui_blank_button(const char *id, const char *help, bool active, float width, float height, ui_rect *place)
{
    ImGui::PushID(id);
    if (active)
        ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(accent.x * 0.75f, accent.y * 0.75f, accent.z * 0.75f, 1));
    bool pressed = ImGui::Button("##blank", ImVec2(width, height));
    if (active)
        ImGui::PopStyleColor();
    remember(id);
    tooltip(help);
    ImVec2 low = ImGui::GetItemRectMin();
    *place = {low.x, low.y, width, height};
    ImGui::PopID();
    return pressed;
}

void ui_draw_line(float x0, float y0, float x1, float y1, float width, ui_shade shade)
{
    list()->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), color_of(shade), width);
}

void ui_draw_path(const float (*points)[2], int count, float width, ui_shade shade)
{
    static_assert(sizeof(ImVec2) == sizeof(float[2]), "points are handed over as they are");
    list()->AddPolyline(reinterpret_cast<const ImVec2 *>(points), count, color_of(shade), 0, width);
}

void ui_draw_arc(float x, float y, float radius, float from, float to, float width, ui_shade shade)
{
    list()->PathArcTo(ImVec2(x, y), radius, from, to, 20);
    list()->PathStroke(color_of(shade), 0, width);
}

void ui_draw_ring(float x, float y, float radius, float width, ui_shade shade)
{
    list()->AddCircle(ImVec2(x, y), radius, color_of(shade), 24, width);
}

void ui_draw_disc(float x, float y, float radius, ui_shade shade)
{
    list()->AddCircleFilled(ImVec2(x, y), radius, color_of(shade), 24);
}

void ui_draw_triangle(const float corners[3][2], ui_shade shade)
{
    list()->AddTriangleFilled(ImVec2(corners[0][0], corners[0][1]), ImVec2(corners[1][0], corners[1][1]),
                              ImVec2(corners[2][0], corners[2][1]), color_of(shade));
}

void ui_draw_box(ui_rect p, float rounding, ui_shade fill)
{
    list()->AddRectFilled(ImVec2(p.x, p.y), ImVec2(p.x + p.width, p.y + p.height), color_of(fill), rounding);
}

void ui_draw_frame(ui_rect p, float rounding, float width, ui_shade shade)
{
    list()->AddRect(ImVec2(p.x, p.y), ImVec2(p.x + p.width, p.y + p.height), color_of(shade), rounding, 0, width);
}

void ui_draw_text(float x, float y, ui_font font, const char *text, float wrap, ui_shade shade)
{
    ImFont *face = font_of(font);
    list()->AddText(face, face->FontSize, ImVec2(std::floor(x), std::floor(y)), color_of(shade), text, nullptr, wrap);
}

void ui_draw_picture(ui_rect p, unsigned texture)
{
    list()->AddImageRounded((ImTextureID)(intptr_t)texture, ImVec2(p.x, p.y), ImVec2(p.x + p.width, p.y + p.height),
                            ImVec2(0, 0), ImVec2(1, 1), IM_COL32_WHITE, 5, ImDrawFlags_RoundCornersTop);
}

void ui_clip(ui_rect p) { list()->PushClipRect(ImVec2(p.x, p.y), ImVec2(p.x + p.width, p.y + p.height), true); }
void ui_unclip(void) { list()->PopClipRect(); }
