// Clips of what is on the canvas, as the browser encodes them.
import type { App } from '../app';
import { download } from '../ui/dom';

export class Recorder {
    private recorder: MediaRecorder | null = null;

    constructor(private readonly app: App) {}

    get on(): boolean {
        return this.recorder !== null;
    }

    toggle(): void {
        if (this.recorder) {
            this.recorder.stop();
            return;
        }
        const canvas = this.app.stage.canvas;
        const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'].find((name) => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(name));
        if (!type || !canvas.captureStream) {
            this.app.say('This browser cannot record the picture');
            return;
        }
        const recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
        const parts: Blob[] = [];
        recorder.ondataavailable = ({ data }) => parts.push(data);
        recorder.onstop = () => {
            this.recorder = null;
            for (const track of recorder.stream.getTracks()) track.stop();
            download(`telar-${this.app.fileName()}.${type.startsWith('video/mp4') ? 'mp4' : 'webm'}`, new Blob(parts, { type }));
            this.app.say('Saved the clip');
            this.app.emit('playing');
        };
        recorder.start();
        this.recorder = recorder;
        this.app.say('Recording: V or the red button ends it');
    }
}
