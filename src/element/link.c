/* Links: a spring and damper between two particles. E = ½ k w (|d| − L)².

   In the constraint form of element.h, C = √w (|d| − L) with gradient ∓√w n. Hessian k w [n nᵀ + (1 − L/|d|)(I − n
   nᵀ)], damping matrix c w n nᵀ, or c w I with full damping. A link of length zero has no direction: force and Hessian
   are zero there. The force kernels are in link_kernel.c, the storage in link.h. */
#include "element/link.h"

#include "element/element_list.h"

static tl_result build(tl_element_batch *batch, const tl_mesh *mesh, tl_link_kind kind, tl_error *error)
{
    batch->allocator = tl_allocator_or_default(&batch->allocator);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
    const tl_allocator *allocator = &batch->allocator;
    tl_link_set *set = tl_allocate(allocator, 1, sizeof *set);
    tl_link *links = NULL;
    int count = 0;
    bool done = set && tl_link_enumerate(mesh, kind, allocator, &links, &count) &&
                tl_link_set_build(set, allocator, links, count, mesh->particle_count);
    tl_release(allocator, links);
    if (!done) {
        tl_release(allocator, set);
        return tl_fail(error, TL_ERROR_MEMORY, "%s: no memory for %d links", batch->kind->path, count);
    }
    batch->data = set;
    batch->count = count;
    batch->bytes = sizeof *set + tl_link_set_bytes(set);
    return TL_OK;
}

static void destroy(tl_element_batch *batch)
{
    if (!batch->data)
        return;
    tl_link_set_destroy(batch->data, &batch->allocator);
    tl_release(&batch->allocator, batch->data);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
}

static double energy(const tl_element_batch *batch, const tl_particles *p)
{
    const tl_link_set *set = batch->data;
    double sum = 0;
    for (int k = 0; k < batch->count; ++k) {
        tl_vec3 d = tl_sub(tl_at(p->x, set->j[k]), tl_at(p->x, set->i[k]));
        double stretch = (double)tl_length(d) - (double)set->rest[k];
        sum += (double)set->weight[k] * stretch * stretch;
    }
    return 0.5 * (double)batch->stiffness * sum;
}

static void force_plain(const tl_element_batch *batch, tl_particles *p)
{
    if (batch->count > 0)
        tl_link_force_w1(batch->data, batch->stiffness, batch->damping, batch->settings.full_damping, p);
}

static void force(const tl_element_batch *batch, tl_particles *p)
{
    if (batch->count > 0 && batch->lanes == 8)
        TL_W8(tl_link_force)(batch->data, batch->stiffness, batch->damping, batch->settings.full_damping, p);
    else if (batch->count > 0 && batch->lanes == 4)
        tl_link_force_w4(batch->data, batch->stiffness, batch->damping, batch->settings.full_damping, p);
    else
        force_plain(batch, p);
}

/* Length and direction of link k, from i to j. */
static tl_real link_direction(const tl_link_set *set, int k, const tl_particles *p, tl_vec3 *n)
{
    tl_vec3 d = tl_sub(tl_at(p->x, set->j[k]), tl_at(p->x, set->i[k]));
    tl_real length = tl_length(d);
    *n = length > 0 ? tl_scale(d, 1 / length) : tl_v3(0, 0, 0);
    return length;
}

static void hessian(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_element_hessian *out)
{
    const tl_link_set *set = batch->data;
    for (int e = 0; e < count; ++e) {
        int k = first + e;
        tl_vec3 direction;
        tl_real length = link_direction(set, k, p, &direction);
        const tl_real n[3] = {direction.x, direction.y, direction.z};
        tl_real stiffness = batch->stiffness * set->weight[k], damping = batch->damping * set->weight[k];
        tl_real across = length > 0 ? 1 - set->rest[k] / length : 0;
        if (batch->settings.definite)
            across = tl_max(across, 0);
        out[e].particle[0] = set->i[k];
        out[e].particle[1] = set->j[k];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                tl_real unit = r == c ? 1 : 0, along = n[r] * n[c];
                tl_real h = stiffness * (along + across * (unit - along));
                tl_real d = damping * (batch->settings.full_damping ? unit : along);
                for (int a = 0; a < 2; ++a)
                    for (int b = 0; b < 2; ++b) {
                        out[e].stiffness[a][b][r][c] = a == b ? h : -h;
                        out[e].damping[a][b][r][c] = a == b ? d : -d;
                    }
            }
    }
}

static void members(const tl_element_batch *batch, int k, int particle[TL_ELEMENT_MAX_PARTICLES])
{
    const tl_link_set *set = batch->data;
    particle[0] = set->i[k];
    particle[1] = set->j[k];
}

static void constraint(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                       tl_element_constraint *out)
{
    const tl_link_set *set = batch->data;
    for (int e = 0; e < count; ++e) {
        int k = first + e;
        tl_vec3 n;
        tl_real root = sqrt(set->weight[k]);
        out[e].particle[0] = set->i[k];
        out[e].particle[1] = set->j[k];
        out[e].value[0] = root * (link_direction(set, k, p, &n) - set->rest[k]);
        out[e].gradient[0][0] = tl_scale(n, -root);
        out[e].gradient[0][1] = tl_scale(n, root);
    }
}

int tl_link_pair(const tl_element_batch *batch, int index, int *i, int *j, tl_real *rest_length)
{
    if (!batch->kind || !batch->kind->link || index < 0 || index >= batch->count)
        return 0;
    const tl_link_set *set = batch->data;
    *i = set->i[index];
    *j = set->j[index];
    *rest_length = set->rest[index];
    return 1;
}

/* The kinds differ only in which particles they join and what they resist. */
#define TL_LINK_CLASS(field, kind_of_link, is_structural, what_it_resists)                                             \
    static tl_result build_##field(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)                      \
    {                                                                                                                  \
        batch->kind = &tl_element_##field;                                                                             \
        return build(batch, mesh, kind_of_link, error);                                                                \
    }                                                                                                                  \
    const tl_element_class tl_element_##field = {                                                                      \
        TL_ELEMENT_TEXTS(field),                                                                                       \
        .particles = 2,                                                                                                \
        .conditions = 1,                                                                                               \
        .resists = what_it_resists,                                                                                    \
        .link = true,                                                                                                  \
        .structural = is_structural,                                                                                   \
        .build = build_##field,                                                                                        \
        .destroy = destroy,                                                                                            \
        .energy = energy,                                                                                              \
        .force = force,                                                                                                \
        .force_plain = force_plain,                                                                                    \
        .hessian = hessian,                                                                                            \
        .constraint = constraint,                                                                                      \
        .members = members,                                                                                            \
    };

TL_LINK_CLASS(link_structural, TL_LINK_STRUCTURAL, true, TL_RESISTS_STRETCH)
TL_LINK_CLASS(link_shear, TL_LINK_SHEAR, false, TL_RESISTS_SHEAR)
TL_LINK_CLASS(link_bend, TL_LINK_BEND, false, TL_RESISTS_BEND)
TL_LINK_CLASS(link_elastic, TL_LINK_ELASTIC, false, 0)
TL_LINK_CLASS(link_disc, TL_LINK_DISC, false, TL_RESISTS_IN_PLANE | TL_RESISTS_BEND)
