// Swipes and taps on what the page itself shows. Chapters watch theirs in frame.js.

export function watchTouch(element, { swipe, tap }) {
  let start = null;
  element.addEventListener("pointerdown", event => {
    start = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY, at: event.timeStamp } : null;
  });
  element.addEventListener("pointercancel", () => { start = null; });
  element.addEventListener("pointerup", event => {
    if (!start) return;
    const [dx, dy, took] = [event.clientX - start.x, event.clientY - start.y, event.timeStamp - start.at];
    start = null;
    if (Math.abs(dx) > 40 && Math.abs(dx) > 1.5 * Math.abs(dy)) swipe(dx < 0 ? "left" : "right");
    else if (Math.hypot(dx, dy) < 10 && took < 500) {
      const box = element.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width;
      tap(x < 0.28 ? "left" : x > 0.72 ? "right" : "middle");
    }
  });
}
