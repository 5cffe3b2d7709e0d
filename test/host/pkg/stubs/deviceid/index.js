// Stands in for the module that keeps an id of this machine in the user's home: nothing is reported, so none is kept.
const { randomUUID } = require('crypto');

exports.getDeviceId = () => Promise.resolve(randomUUID());
