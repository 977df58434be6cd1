/* A mesh in contact: its memory, its tree, and which face represents which feature. */
#include "contact/cloth/contact_mesh.h"

#include "contact/broad_phase/broad_phase.h"

/* Every particle and every edge is represented by exactly one of its faces, so that pairs of faces give every pair
   of features once (Curtis, Tamstorf and Manocha 2008, "Fast collision detection for deformable models using
   representative-triangles"). */
static void assign_features(tl_contact_mesh *s)
{
    const tl_mesh *mesh = s->mesh;
    for (int p = 0; p < mesh->particle_count; ++p)
        if (mesh->particle_face_start[p] < mesh->particle_face_start[p + 1]) {
            int half = mesh->particle_face[mesh->particle_face_start[p]];
            s->owned[tl_half_face(half)] |= (unsigned char)(1 << half % 3);
        }
    for (int e = 0; e < mesh->edge_count; ++e) {
        int half = mesh->edge_half[e];
        s->owned[tl_half_face(half)] |= (unsigned char)(8 << half % 3);
    }
}

static tl_real mean_edge(const tl_mesh *mesh)
{
    double sum = 0;
    for (int e = 0; e < mesh->edge_count; ++e)
        sum += (double)mesh->edge_length[e];
    return mesh->edge_count > 0 ? (tl_real)(sum / mesh->edge_count) : 0;
}

/* The tree's topology comes from the mesh, not from the present state: a restored world has the same. */
static bool build_tree(tl_contact_mesh *s, const tl_allocator *allocator)
{
    const tl_mesh *mesh = s->mesh;
    tl_real *x[3] = {0};
    bool made = true;
    for (int c = 0; c < 3; ++c)
        made = (x[c] = tl_allocate(allocator, (size_t)mesh->particle_count, sizeof(tl_real))) && made;
    for (int p = 0; made && p < mesh->particle_count; ++p)
        tl_put(x, p, mesh->position[p]);
    made = made && tl_bvh_build(&s->tree, allocator, mesh->face, mesh->face_count, x);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, x[c]);
    return made;
}

void tl_contact_mesh_destroy(tl_contact_mesh *s, const tl_allocator *allocator)
{
    if (!s)
        return;
    tl_mesh_query_release(s, allocator);
    tl_bvh_destroy(&s->tree, allocator);
    tl_release(allocator, s->owned);
    tl_release(allocator, s->mark);
    tl_release(allocator, s->stack_level);
    tl_release(allocator, s->last_pressure);
    tl_release(allocator, s->touched);
    tl_release(allocator, s->allowed);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, s->noted_x[c]);
    tl_release(allocator, s);
}

tl_contact_mesh *tl_contact_mesh_create(const tl_mesh *mesh, const tl_allocator *allocator)
{
    tl_contact_mesh *s = tl_allocate(allocator, 1, sizeof *s);
    if (!s)
        return NULL;
    s->mesh = mesh;
    s->mean_edge = mean_edge(mesh);
    size_t points = (size_t)mesh->particle_count, blocks = points / TL_CONTACT_MESH_BLOCK + 1;
    s->owned = tl_allocate(allocator, (size_t)mesh->face_count, 1);
    s->mark = tl_allocate(allocator, points, 1);
    s->stack_level = tl_allocate(allocator, points, 1);
    s->last_pressure = tl_allocate(allocator, points, sizeof(tl_real));
    s->touched = tl_allocate(allocator, blocks, 1);
    bool made = s->owned && s->mark && s->stack_level && s->last_pressure && s->touched;
    for (int c = 0; c < 3; ++c)
        made = (s->noted_x[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
    if (!made || !build_tree(s, allocator) || !tl_mesh_query_create(s, allocator)) {
        tl_contact_mesh_destroy(s, allocator);
        return NULL;
    }
    s->bytes += sizeof *s + (size_t)mesh->face_count + points * (2 + sizeof(int) + 4 * sizeof(tl_real)) + blocks +
                s->tree.bytes;
    assign_features(s);
    return s;
}

void tl_contact_mesh_unmark(tl_contact_mesh *s, tl_mark mark)
{
    unsigned char *bits = s->mark, keep = (unsigned char)~mark;
    for (int i = 0, count = s->mesh->particle_count; i < count; ++i)
        bits[i] &= keep;
}
