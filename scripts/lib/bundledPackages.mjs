/** Folders below node_modules, sorted, of the packages that have code in one of the results of esbuild. */
export function bundledPackages(results) {
  const folders = results
    .flatMap(({ metafile }) => Object.values(metafile.outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /(?:^|\/)node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
    .filter(folder => folder !== undefined);
  return [...new Set(folders)].sort();
}
