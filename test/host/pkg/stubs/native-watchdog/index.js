// Stands in for a native module: the extension host also watches its parent in plain JavaScript.
exports.start = () => {};
