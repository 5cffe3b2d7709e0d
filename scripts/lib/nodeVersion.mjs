const [MAJOR, MINOR] = [20, 19];

/** A message if Node is older than this project needs; null if it is not. */
export function oldNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return null;
  return `This is Node ${version}: Headroom needs Node ${MAJOR}.${MINOR} or newer. Install it from nodejs.org.`;
}
