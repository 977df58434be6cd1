// How a scene is drawn, from its own "look" and "light" and the page's switches.
import { Color, Vector3 } from 'three';
import type { SceneJson, Table } from '../state/document';
import { valueOf } from '../state/document';
import type { ClothLook, Weave } from './cloth_material';
import type { ClothStyle } from './cloth_view';

export interface Look {
    s3: boolean;
    cloths: ClothStyle[];
    body: Color;
    bodyRoughness: number;
    bodyMetal: number;
    bodyShine: number; // of S3's look
    sun: number;
    sunColor: Color;
    sunDirection: Vector3;
    ambient: number;
    grid: boolean;
    axes: boolean;
    pins: boolean;
    overlayHigh: number;
    warm: boolean; // the first page's backdrop
}

/** What the page knows about a scene's appearance beyond the scene file. */
export interface PageLook {
    s3: boolean;
    satin: number;
    roughness: number;
    bodyRoughness: number;
    bodyMetal: number;
    bodyShine: number;
    grid: boolean | null;
    pins: boolean;
    warm: boolean;
}

export const PAGE_LOOK: PageLook = {
    s3: false,
    satin: 0,
    roughness: 0.85,
    bodyRoughness: 0.5,
    bodyMetal: 0,
    bodyShine: 30,
    grid: null,
    pins: true,
    warm: false,
};

export function colourOf(value: unknown): Color {
    const [r, g, b] = Array.isArray(value) ? (value as number[]) : [0.5, 0.5, 0.5];
    return new Color().setRGB(r, g, b, 'srgb');
}

export function lookOf(scene: SceneJson, table: Table, page: PageLook, overlayHigh: number, count: number): Look {
    const of = (path: string) => valueOf(scene, table, path);
    const vector = (path: string) => (of(path) as number[] | null) ?? [0.5, 1, 0.35];
    const listed = (scene.cloth as SceneJson[] | undefined)?.length ?? 0;
    const base = colourOf(of('look.cloth_color'));
    const styles = Array.from({ length: count }, (_, k): ClothStyle => {
        const color = base.clone();
        // several cloths are told apart by hue
        if (k) color.offsetHSL(((k * 0.381966) % 1) * 0.22 - 0.06 * k * (k % 2), 0, ((k % 3) - 1) * 0.05);
        return {
            look: (of('look.cloth') as ClothLook) ?? 'fabric',
            weave: (of('look.weave') as Weave) ?? 'plain',
            color,
            second: colourOf(of('look.second_color')),
            sheen: Number(of('look.sheen') ?? 0.3),
            stripes: Number(of('look.stripes') ?? 0),
            roughness: page.roughness,
            satin: page.satin,
            phong: page.s3,
            // panels of garments are drawn in metres
            size: k < listed ? [Number(of(`cloth[${k}].width`) ?? 2), Number(of(`cloth[${k}].height`) ?? 2)] : [1, 1],
        };
    });
    const sunOn = of('light.sun.on') !== false;
    return {
        s3: page.s3,
        cloths: styles,
        body: colourOf(of('look.body_color')),
        bodyRoughness: page.bodyRoughness,
        bodyMetal: page.bodyMetal,
        bodyShine: page.bodyShine,
        sun: sunOn ? Number(of('light.sun.intensity') ?? 3) : 1.8,
        sunColor: sunOn ? linear(vector('light.sun.color')) : new Color(1, 0.97, 0.93),
        sunDirection: sunOn ? new Vector3(...vector('light.sun.direction')) : new Vector3(0.5, 1, 0.5),
        ambient: 0.16 + 0.9 * Number(of('light.ambient') ?? 0.25),
        grid: page.grid ?? of('look.floor_grid') !== false,
        axes: of('look.axes') === true,
        pins: page.pins,
        overlayHigh,
        warm: page.warm,
    };
}

function linear([r, g, b]: number[]): Color {
    return new Color(r, g, b);
}
