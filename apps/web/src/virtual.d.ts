declare module 'virtual:scenes' {
    export interface SceneCard {
        name: string;
        title: string;
        description: string;
        meshes: string[]; // and patterns
        worn: string[];
        picture: boolean;
    }
    const scenes: SceneCard[];
    export default scenes;
}
declare module 'telar/telar.wasm?url' {
    const url: string;
    export default url;
}
declare module 'telar/telar-threads.wasm?url' {
    const url: string;
    export default url;
}
