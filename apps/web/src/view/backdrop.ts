// The background: a soft gradient like paper behind a product, drawn into the picture so that screenshots and clips have it.
import { Color, DataTexture, Mesh, PlaneGeometry, ShaderMaterial } from 'three';

export interface BackdropColours {
    top: string;
    bottom: string;
    glow: string; // behind the subject
}

export const BACKDROPS: Record<'dark' | 'light', BackdropColours> = {
    dark: { top: '#14161b', bottom: '#23242a', glow: '#3d3f47' },
    light: { top: '#dcdedf', bottom: '#e9e7e3', glow: '#f8f6f2' },
};

/** Warmer paper for the first page. */
export const SHOWPIECE_BACKDROPS: typeof BACKDROPS = {
    dark: { top: '#131012', bottom: '#221a1b', glow: '#55403d' },
    light: { top: '#e4dcd6', bottom: '#efe9e2', glow: '#fbf6ef' },
};

export class Backdrop extends Mesh<PlaneGeometry, ShaderMaterial> {
    constructor() {
        const material = new ShaderMaterial({
            depthTest: false,
            depthWrite: false,
            toneMapped: false,
            uniforms: {
                top: { value: new Color() },
                bottom: { value: new Color() },
                glow: { value: new Color() },
            },
            vertexShader: 'varying vec2 p; void main() { p = position.xy; gl_Position = vec4(position.xy, 1.0, 1.0); }',
            fragmentShader: /* glsl */ `
                uniform vec3 top, bottom, glow;
                varying vec2 p;
                void main() {
                    vec3 colour = mix(bottom, top, smoothstep(-1.0, 1.0, p.y));
                    float d = length(p * vec2(0.8, 1.0) - vec2(0.0, 0.02));
                    colour = mix(glow, colour, smoothstep(0.0, 1.25, d));
                    float n = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
                    gl_FragColor = vec4(colour + (n - 0.5) / 255.0, 1.0);
                }`,
        });
        super(new PlaneGeometry(2, 2), material);
        this.frustumCulled = false;
        this.renderOrder = -1000;
    }

    show(colours: BackdropColours): void {
        for (const key of ['top', 'bottom', 'glow'] as const) {
            // the shader's colours are display colours: keep three.js from making them linear
            const hex = parseInt(colours[key].slice(1), 16);
            const c = this.material.uniforms[key].value as Color;
            c.r = ((hex >> 16) & 255) / 255;
            c.g = ((hex >> 8) & 255) / 255;
            c.b = (hex & 255) / 255;
        }
    }
}

/** One white texel, for materials that want a texture before there is one. */
export function whiteTexture(): DataTexture {
    const texture = new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1);
    texture.needsUpdate = true;
    return texture;
}
