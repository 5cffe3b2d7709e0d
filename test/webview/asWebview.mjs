// The environment of a webview before its own scripts run: VS Code's API, its variables and its class. Runs in the
// page, as
// text.
globalThis.asWebview = ({ vars, className }) => {
  const { document, sessionStorage, addEventListener, MutationObserver, hear } = globalThis;
  const api = {
    postMessage: message => void hear(message),
    getState: () => JSON.parse(sessionStorage.getItem('kept') ?? 'null'),
    setState: state => sessionStorage.setItem('kept', JSON.stringify(state)),
  };
  const paint = () => {
    for (const [name, value] of Object.entries(vars)) document.documentElement.style.setProperty(name, value);
    document.body.className = className;
  };
  globalThis.acquireVsCodeApi = () => api;
  addEventListener('DOMContentLoaded', paint);
  new MutationObserver((_, observer) => {
    if (!document.body) return;
    observer.disconnect();
    paint();
  }).observe(document, { childList: true, subtree: true });
};
