/* Gaps too wide for the meshes they lie between are refused.

   A point has (gap/e)² features of a mesh with edges of length e within its gap, up to a factor. Where two meshes lie
   on each other, the broad phase therefore finds about N_a (gap/e_b)² + N_b (gap/e_a)² pairs, and for one mesh with
   itself 2 N (gap/e)²: a gap of 50 edges costs thousands of pairs per particle. Nor has cloth a shape that such a gap
   could lie between: it would have to stay flat over 50 edges. */
#include "mesh/mesh.h"
#include "world/body_mesh.h"
#include "world/contacts.h"

/* The widest gap of a uniform mesh, in edge lengths: about a hundred pairs per particle in the tightest folds. */
#define MAX_GAP_EDGES 4.0

double tl_mesh_fineness(const tl_mesh *mesh)
{
    double sum = 0;
    int count = 0;
    for (int e = 0; e < mesh->edge_count; ++e)
        if (mesh->edge_length[e] > 0) {
            double length = (double)mesh->edge_length[e];
            sum += 1 / (length * length);
            ++count;
        }
    return count > 0 ? sum / count : 0;
}

/* A mesh, as far as its pairs with another one matter. */
typedef struct side {
    const char *label;
    double particles, fineness; /* 1/m² */
} side;

static side side_of(const tl_cloth *cloth)
{
    return (side){cloth->def.label[0] ? cloth->def.label : "cloth", cloth->mesh->particle_count, cloth->fineness};
}

static side side_of_body(const tl_body *body)
{
    return (side){body->def.label[0] ? body->def.label : "body", body->def.mesh->particle_count, body->mesh->fineness};
}

/* The gap between two meshes that has as many pairs per particle as the widest of a uniform mesh, m. */
static double widest(const side *a, const side *b)
{
    double pairs = a->particles * b->fineness + b->particles * a->fineness;
    return pairs > 0 ? MAX_GAP_EDGES * sqrt((a->particles + b->particles) / pairs) : INFINITY;
}

/* `path` is the parameter of the cloth `a` that decides. */
static tl_result check(const side *a, const char *path, double gap, const side *b, tl_error *error)
{
    double limit = widest(a, b);
    if (gap <= limit)
        return TL_OK;
    const side *finer = a->fineness >= b->fineness ? a : b;
    return tl_fail(error, TL_ERROR_INPUT,
                   "%s.%s: a gap of %.4g m to %s is %.3g edge lengths of %s (%.3g m): at most %.4g m; take a smaller "
                   "%s or a coarser mesh",
                   a->label, path, gap, b == a ? "itself" : b->label, gap * sqrt(finer->fineness), finer->label,
                   1 / sqrt(finer->fineness), limit, path);
}

static double gap_of(const tl_cloth_def *def) { return (double)(def->cloth_gap > 0 ? def->cloth_gap : def->thickness); }

static bool self_collides(const tl_cloth *cloth) { return tl_contact_find(cloth->def.contact)->self_collision; }

static tl_result check_body(const tl_cloth *cloth, const tl_body *body, tl_error *error)
{
    if (!body->mesh || !tl_contact_find(cloth->def.contact)->bodies)
        return TL_OK;
    side own = side_of(cloth), other = side_of_body(body);
    return check(&own, "thickness", (double)cloth->def.thickness, &other, error);
}

tl_result tl_cloth_check_gaps(const tl_cloth *cloth, tl_error *error)
{
    const tl_world *world = cloth->world;
    const char *path = cloth->def.cloth_gap > 0 ? "cloth_gap" : "thickness";
    side own = side_of(cloth);
    tl_result result = self_collides(cloth) ? check(&own, path, gap_of(&cloth->def), &own, error) : TL_OK;
    for (int k = 0; k < world->cloth_count && result == TL_OK && self_collides(cloth); ++k) {
        const tl_cloth *with = world->cloths[k];
        side other = side_of(with);
        if (with != cloth && self_collides(with))
            result = check(&own, path, (gap_of(&cloth->def) + gap_of(&with->def)) / 2, &other, error);
    }
    for (int b = 0; b < world->body_count && result == TL_OK; ++b)
        result = check_body(cloth, world->bodies[b], error);
    return result;
}

tl_result tl_body_check_gaps(const tl_body *body, tl_error *error)
{
    tl_result result = TL_OK;
    for (int k = 0; k < body->world->cloth_count && result == TL_OK; ++k)
        result = check_body(body->world->cloths[k], body, error);
    return result;
}
