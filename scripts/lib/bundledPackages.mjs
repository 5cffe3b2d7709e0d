/** Sorted folders below node_modules of the packages with code in one of esbuild's results. */
export function bundledPackages(results) {
  const folders = results
    .flatMap(({ metafile }) => Object.values(metafile.outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /(?:^|\/)node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
    .filter(folder => folder !== undefined);
  return [...new Set(folders)].sort();
}
