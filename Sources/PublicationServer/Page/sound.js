// Audiobooks: one track of the reading order at a time.

const element = id => document.getElementById(id);

export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = number => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

// The start of a media fragment, t=12.5 or t=1:02:03, in seconds.
function time(fragment) {
  const text = /(?:^|&)t=(?:npt:)?([0-9.:]+)/.exec(fragment || "");
  return text ? text[1].split(":").reduce((sum, part) => sum * 60 + Number(part), 0) : null;
}

export class SoundView {
  name = "sound";

  constructor(reader) {
    this.reader = reader;
    this.audio = element("audio");
    const { audio } = this;
    element("play").addEventListener("click", () => this.toggle());
    element("back").addEventListener("click", () => this.skip(-15));
    element("forward").addEventListener("click", () => this.skip(30));
    element("sound-seek").addEventListener("input", event => { audio.currentTime = Number(event.target.value); });
    element("speed").addEventListener("change", event => reader.settings.set({ speed: Number(event.target.value) }));
    for (const type of ["timeupdate", "durationchange", "seeked"]) audio.addEventListener(type, () => this.show());
    for (const type of ["play", "pause"]) audio.addEventListener(type, () => this.showState());
    audio.addEventListener("ended", () => { if (this.index !== undefined) reader.step(this.index, 1, true); });
    audio.addEventListener("error", () => {
      if (audio.getAttribute("src")) reader.warn("This recording could not be played.", audio.src);
    });
  }

  open(index, target, hasFocus, goesOn) {
    const { audio, reader } = this;
    const item = reader.publication.items[index];
    const wasPlaying = !audio.paused || goesOn;
    element("sound").hidden = false;
    if (this.index !== index) {
      this.index = index;
      audio.src = item.address;
      element("sound-title").textContent = item.title || reader.titleOf(index) || `Part ${index + 1}`;
    }
    audio.defaultPlaybackRate = audio.playbackRate = reader.settings.values.speed;
    element("speed").value = String(reader.settings.values.speed);
    this.go(target);
    if (wasPlaying) audio.play().catch(() => {});
    if (hasFocus) element("play").focus();
    this.announce();
    this.show();
  }

  get duration() {
    const { duration } = this.audio;
    return Number.isFinite(duration) && duration > 0 ? duration : this.reader.publication.items[this.index].duration;
  }

  go(target) {
    const at = time(target.fragment);
    const start = () => {
      if (at !== null) this.audio.currentTime = at;
      else if (typeof target.progression === "number") this.audio.currentTime = target.progression * this.duration;
      else this.audio.currentTime = target === "end" ? Math.max(0, this.duration - 15) : 0;
    };
    this.audio.removeEventListener("loadedmetadata", this.starting);
    if (this.audio.readyState > 0) start();
    else this.audio.addEventListener("loadedmetadata", this.starting = start, { once: true });
  }

  toggle() {
    if (this.audio.paused) this.audio.play().catch(() => {});
    else this.audio.pause();
  }

  skip(seconds) { this.audio.currentTime = Math.min(this.duration || Infinity, Math.max(0, this.audio.currentTime + seconds)); }

  show() {
    if (this.index === undefined) return;
    const { audio, duration } = this;
    const seek = element("sound-seek");
    seek.max = String(Math.max(1, Math.floor(duration)));
    seek.value = String(Math.floor(audio.currentTime));
    const text = `${clock(audio.currentTime)} of ${clock(duration)}`;
    seek.setAttribute("aria-valuetext", text);
    element("sound-time").textContent = text;
    if (audio.readyState === 0) return;
    this.reader.moved({
      index: this.index, progression: duration ? Math.min(1, audio.currentTime / duration) : 0, page: 0, pages: 1, atStart: false, atEnd: false, text: this.whole(),
    });
    if (navigator.mediaSession && navigator.mediaSession.setPositionState && duration) {
      navigator.mediaSession.setPositionState({ duration, position: Math.min(duration, audio.currentTime), playbackRate: audio.playbackRate });
    }
  }

  // The time in the whole book, if the manifest says how long each part is.
  whole() {
    const durations = this.reader.publication.items.map(item => item.duration);
    const before = durations.slice(0, this.index).reduce((sum, duration) => sum + duration, 0);
    const total = durations.reduce((sum, duration) => sum + duration, 0);
    return durations.every(Boolean) ? `${clock(before + this.audio.currentTime)} of ${clock(total)}` : `Part ${this.index + 1} of ${durations.length}`;
  }

  showState() {
    const isPlaying = !this.audio.paused;
    element("play").textContent = isPlaying ? "Pause" : "Play";
    element("play").setAttribute("aria-pressed", String(isPlaying));
  }

  // The keys and the screen of the device.
  announce() {
    const session = navigator.mediaSession;
    if (!session || !window.MediaMetadata) return;
    const { publication } = this.reader;
    const cover = document.querySelector("#cover img");
    session.metadata = new MediaMetadata({
      title: element("sound-title").textContent, artist: publication.authors, album: publication.title, artwork: cover ? [{ src: cover.src }] : [],
    });
    const handlers = {
      play: () => this.audio.play(), pause: () => this.audio.pause(), seekbackward: () => this.skip(-15), seekforward: () => this.skip(30),
      previoustrack: () => this.turn(-1), nexttrack: () => this.turn(1), seekto: ({ seekTime }) => { this.audio.currentTime = seekTime; },
    };
    for (const [name, handler] of Object.entries(handlers)) {
      try { session.setActionHandler(name, handler); } catch { /* an action that this browser doesn't know */ }
    }
  }

  key(key) {
    if (key === " ") this.toggle();
    else if (key === "ArrowLeft") this.skip(-15);
    else if (key === "ArrowRight") this.skip(30);
    else return false;
    return true;
  }

  turn(by) { this.reader.step(this.index, by); }
  update() {
    this.audio.playbackRate = this.reader.settings.values.speed;
    element("speed").value = String(this.reader.settings.values.speed);
  }
  mark() {}
  resize() {}

  close() {
    this.index = undefined;
    this.audio.pause();
    this.audio.removeAttribute("src");
    this.audio.load();
    element("sound").hidden = true;
  }
}
