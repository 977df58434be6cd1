// One cloth on the stage: its geometry, filled from each picture, and the ways of drawing it.
import {
    BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments, Mesh, MeshPhongMaterial,
    DoubleSide, Points, PointsMaterial, Sphere, Vector3, Group,
} from 'three';
import type { ClothFrame, ClothShape } from '../sim/protocol';
import { clothMaterial, LOOKS, WEAVES, type ClothLook, type ClothMaterial, type Weave } from './cloth_material';

export interface ClothStyle {
    look: ClothLook;
    weave: Weave;
    color: Color;
    second: Color;
    sheen: number;
    stripes: number;
    roughness: number;
    satin: number; // 0…1: the shine of silk
    phong: boolean;
    size: [number, number];
}

export class ClothView {
    readonly object = new Group();
    readonly mesh: Mesh<BufferGeometry, ClothMaterial | MeshPhongMaterial>;
    readonly geometry = new BufferGeometry();
    readonly physical = clothMaterial();
    private readonly phong = new MeshPhongMaterial({ side: DoubleSide, specular: 0x030303 });
    private readonly wire: LineSegments;
    private readonly pins: Points;
    readonly bounds = new Sphere();
    pinned: Uint32Array = new Uint32Array(0);

    constructor(readonly shape: ClothShape) {
        const n = shape.vertices;
        for (const [name, size] of [['position', 3], ['normal', 3], ['scalar', 1], ['fold', 1]] as const) {
            const attribute = new BufferAttribute(new Float32Array(size * n), size);
            attribute.setUsage(DynamicDrawUsage);
            this.geometry.setAttribute(name, attribute);
        }
        this.geometry.setAttribute('uv', new BufferAttribute(shape.uv, 2));
        this.geometry.setIndex(new BufferAttribute(shape.triangles, 1));
        this.geometry.boundingSphere = this.bounds;
        this.mesh = new Mesh(this.geometry, this.physical);
        this.mesh.castShadow = true;
        this.mesh.receiveShadow = true;
        this.mesh.frustumCulled = false;
        const lines = new BufferGeometry();
        lines.setAttribute('position', this.geometry.getAttribute('position'));
        lines.setIndex(new BufferAttribute(edgesOf(shape), 1));
        lines.boundingSphere = this.bounds;
        this.wire = new LineSegments(lines, new LineBasicMaterial());
        this.wire.frustumCulled = false;
        const dots = new BufferGeometry();
        dots.setAttribute('position', this.geometry.getAttribute('position'));
        dots.setIndex(new BufferAttribute(new Uint32Array(0), 1));
        dots.boundingSphere = this.bounds;
        const round = new PointsMaterial({ color: 0xf2b45c, size: 7, sizeAttenuation: false });
        round.onBeforeCompile = (shader) => {
            shader.fragmentShader = shader.fragmentShader.replace('#include <color_fragment>', 'if (length(gl_PointCoord - 0.5) > 0.5) discard;');
        };
        this.pins = new Points(dots, round);
        this.pins.frustumCulled = false;
        this.object.add(this.mesh, this.wire, this.pins);
    }

    /** Mean length of the edges, m: what a coarse cloth needs to stay in front of round bodies. */
    edge(): number {
        const x = this.attribute('position').array;
        const t = this.shape.triangles;
        let sum = 0;
        let count = 0;
        for (let k = 0; k + 2 < t.length; k += Math.max(3, 3 * Math.floor(t.length / 600))) {
            const a = 3 * t[k];
            const b = 3 * t[k + 1];
            sum += Math.hypot(x[a] - x[b], x[a + 1] - x[b + 1], x[a + 2] - x[b + 2]);
            count++;
        }
        return count ? sum / count : 0.01;
    }

    attribute(name: string): BufferAttribute {
        return this.geometry.getAttribute(name) as BufferAttribute;
    }

    update(frame: ClothFrame): void {
        for (const [name, data] of [['position', frame.positions], ['normal', frame.normals], ['fold', frame.fold], ['scalar', frame.scalar]] as const) {
            if (!data) continue;
            const attribute = this.attribute(name);
            (attribute.array as Float32Array).set(data);
            attribute.needsUpdate = true;
        }
        if (frame.pins) {
            this.pinned = frame.pins;
            this.pins.geometry.setIndex(new BufferAttribute(frame.pins, 1));
        }
        this.bound(frame.positions);
    }

    private bound(x: Float32Array): void {
        const low = new Vector3(Infinity, Infinity, Infinity);
        const high = new Vector3(-Infinity, -Infinity, -Infinity);
        for (let k = 0; k < x.length; k += 3) {
            if (x[k] < low.x) low.x = x[k];
            if (x[k] > high.x) high.x = x[k];
            if (x[k + 1] < low.y) low.y = x[k + 1];
            if (x[k + 1] > high.y) high.y = x[k + 1];
            if (x[k + 2] < low.z) low.z = x[k + 2];
            if (x[k + 2] > high.z) high.z = x[k + 2];
        }
        if (low.x > high.x || !Number.isFinite(low.x + high.x)) return;
        this.bounds.center.addVectors(low, high).multiplyScalar(0.5);
        this.bounds.radius = low.distanceTo(high) / 2;
    }

    /** `overlay` is the highest value of the legend, 0 for none. */
    show(style: ClothStyle, overlay: number, pins: boolean): void {
        const m = this.physical;
        m.color.copy(style.color);
        const glow = style.color.clone().lerp(new Color(1, 1, 1), 0.12);
        m.sheenColor.copy(glow).multiplyScalar(0.9 * style.sheen);
        m.sheenRoughness = 0.38 + 0.2 * (1 - style.sheen);
        m.roughness = style.roughness;
        m.specularIntensity = 0.2 + 0.8 * style.satin;
        const shiny = style.satin > 0;
        if (shiny !== m.anisotropy > 0) m.needsUpdate = true;
        m.anisotropy = shiny ? 0.55 * style.satin : 0;
        m.cloth.uLook.value = overlay > 0 ? 2 : LOOKS.indexOf(style.look);
        m.cloth.uWeave.value = WEAVES.indexOf(style.weave);
        m.cloth.uSecond.value.copy(style.second);
        m.cloth.uStripes.value = style.stripes;
        m.cloth.uSize.value.set(...style.size);
        m.cloth.uOverlay.value = overlay;
        this.phong.color.copy(style.color);
        this.mesh.material = style.phong && overlay === 0 ? this.phong : m;
        this.mesh.visible = style.look !== 'wireframe';
        this.wire.visible = style.look === 'wireframe';
        (this.wire.material as LineBasicMaterial).color.copy(style.color);
        this.pins.visible = pins;
    }

    dispose(): void {
        this.geometry.dispose();
        this.wire.geometry.dispose();
        this.pins.geometry.dispose();
        this.physical.dispose();
        this.phong.dispose();
        (this.wire.material as LineBasicMaterial).dispose();
        (this.pins.material as PointsMaterial).dispose();
    }
}

/** Each edge of a mesh once. */
function edgesOf(shape: ClothShape): Uint32Array {
    const seen = new Set<number>();
    const edges: number[] = [];
    const t = shape.triangles;
    for (let k = 0; k < t.length; k += 3)
        for (let c = 0; c < 3; c++) {
            const a = Math.min(t[k + c], t[k + ((c + 1) % 3)]);
            const b = Math.max(t[k + c], t[k + ((c + 1) % 3)]);
            const key = a * shape.vertices + b;
            if (seen.has(key)) continue;
            seen.add(key);
            edges.push(a, b);
        }
    return Uint32Array.from(edges);
}
