// A browser starts no worker from a page that it opened from the disk. Search needs one: there, a
// hidden frame takes its place, with the two functions of a worker that search calls.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      this.loaded = new Promise((resolve) => (this.frame.onload = resolve));
      window.addEventListener("message", (event) => {
        if (event.source !== inside) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      });
      inside.document.open();
      inside.document.write(`<!doctype html><script>
        window.postMessage = ((post) => (data, ...rest) =>
          rest.length ? post(data, ...rest) : parent.postMessage(data, "*"))(
          window.postMessage.bind(window));
        window.importScripts = (...urls) => urls.reduce((before, url) => before.then(() =>
          new Promise((resolve, reject) => {
            const script = document.createElement("script");
            Object.assign(script, { src: url, onload: resolve, onerror: reject });
            document.head.append(script);
          })), Promise.resolve());
      <\/script><script src="${new URL(url, location.href)}"><\/script>`);
      inside.document.close();
    }

    postMessage(data) {
      this.loaded.then(() => {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new MessageEvent("message", { data, source: window }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
