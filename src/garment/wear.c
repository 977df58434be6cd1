/* The worn state of a garment outside of it: what made it as a key, taking it out, and putting it on again. */
#include "garment/garment.h"

#include "core/digest.h"

#include <stdio.h>
#include <string.h>

/* Counts changes of dressing that change its results. */
enum { REVISION = 4 };

static void add_text(tl_digest *digest, const char *text) { tl_digest_add(digest, text, strlen(text) + 1); }
static void add_int(tl_digest *digest, int number) { tl_digest_add(digest, &number, sizeof number); }
static void add_real(tl_digest *digest, tl_real number) { tl_digest_add(digest, &number, sizeof number); }

static void add_vectors(tl_digest *digest, const tl_vec3 *x, int count)
{
    for (int v = 0; v < count; ++v) { /* by component: a vector may have padding */
        add_real(digest, x[v].x);
        add_real(digest, x[v].y);
        add_real(digest, x[v].z);
    }
}

static tl_result add_body(tl_digest *digest, const tl_garment *garment)
{
    const tl_character *character = garment->character;
    const tl_mesh *skin = tl_character_mesh(character);
    int vertices = tl_mesh_vertex_count(skin), triangles = tl_mesh_triangle_count(skin);
    add_int(digest, vertices);
    add_int(digest, triangles);
    add_vectors(digest, tl_mesh_vertices(skin), vertices);
    tl_digest_add(digest, tl_mesh_triangles(skin), 3 * (size_t)triangles * sizeof(int));
    if (!tl_character_parts(character))
        return TL_OK;
    tl_digest_add(digest, tl_character_parts(character), (size_t)vertices);
    for (int k = 0; k < tl_character_joint_count(character); ++k) {
        const tl_joint *joint = tl_character_joint(character, k);
        add_text(digest, joint->name);
        add_int(digest, joint->parent);
        add_int(digest, joint->part);
        add_vectors(digest, &joint->position, 1);
        add_vectors(digest, &joint->tip, 1);
    }
    tl_vec3 *bones = tl_allocate(&garment->allocator, (size_t)vertices, sizeof *bones);
    if (!bones)
        return TL_ERROR_MEMORY;
    tl_character_thin(character, 0, bones);
    add_vectors(digest, bones, vertices);
    tl_release(&garment->allocator, bones);
    return TL_OK;
}

static void add_panels(tl_digest *digest, const tl_garment *garment)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    int pairs = 0;
    add_int(digest, mesh->vertex_count);
    add_int(digest, mesh->triangle_count);
    add_vectors(digest, mesh->position, mesh->vertex_count);
    tl_digest_add(digest, mesh->uv, 2 * vertices * sizeof *mesh->uv);
    tl_digest_add(digest, mesh->triangle, 3 * triangles * sizeof *mesh->triangle);
    tl_digest_add(digest, mesh->panel_of_vertex, vertices * sizeof *mesh->panel_of_vertex);
    tl_digest_add(digest, mesh->particle_of_vertex, vertices * sizeof *mesh->particle_of_vertex);
    for (int s = 0; s < mesh->seam_count; ++s) {
        add_int(digest, mesh->seam[s].first);
        add_int(digest, mesh->seam[s].count);
        add_real(digest, garment->elastic[s]);
        pairs += mesh->seam[s].count;
    }
    tl_digest_add(digest, mesh->seam_pair, 2 * (size_t)pairs * sizeof *mesh->seam_pair);
    add_text(digest, garment->def.fabric);
    for (int p = 0; p < mesh->panel_count; ++p)
        add_text(digest, garment->panel_fabric[p]->name);
    add_real(digest, garment->def.thickness);
    add_real(digest, garment->def.gap);
}

tl_result tl_garment_key(const tl_garment *garment, const tl_dress_def *def, char key[TL_GARMENT_KEY])
{
    tl_digest digest = tl_digest_start();
    tl_dress_def none = {0};
    def = def ? def : &none;
    add_text(&digest, tl_version());
    add_int(&digest, REVISION);
    add_int(&digest, (int)sizeof(tl_real));
    add_real(&digest, def->body_friction);
    add_int(&digest, def->most_frames);
    add_int(&digest, (int)def->until);
    tl_result result = add_body(&digest, garment);
    add_panels(&digest, garment);
    for (const tl_garment *inner = garment->inner; inner; inner = inner->inner) {
        add_panels(&digest, inner);
        add_vectors(&digest, inner->x, inner->arrays->vertex_count);
    }
    snprintf(key, TL_GARMENT_KEY, "%016llx%016llx", (unsigned long long)digest.half[0],
             (unsigned long long)digest.half[1]);
    return result;
}

int tl_garment_state_count(const tl_garment *garment)
{
    int count = 0;
    for (; garment; garment = garment->inner)
        count += garment->arrays->vertex_count;
    return count;
}

void tl_garment_state(const tl_garment *garment, tl_vec3 *positions)
{
    for (; garment; garment = garment->inner) {
        memcpy(positions, garment->x, (size_t)garment->arrays->vertex_count * sizeof *positions);
        positions += garment->arrays->vertex_count;
    }
}

tl_result tl_garment_wear(tl_garment *garment, const tl_vec3 *positions, int count, const tl_dress_report *report)
{
    if (count != tl_garment_state_count(garment) || !report->done)
        return TL_ERROR_INPUT;
    tl_dress_end(garment);
    for (tl_garment *layer = garment; layer; layer = layer->inner) {
        memcpy(layer->x, positions, (size_t)layer->arrays->vertex_count * sizeof *positions);
        positions += layer->arrays->vertex_count;
    }
    garment->report = *report;
    garment->worn = report->phase == TL_DRESS_DONE;
    return TL_OK;
}
