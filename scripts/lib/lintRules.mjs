// Our own rules, as a plugin of the linter (.oxlintrc.json).
import { relative, sep } from 'node:path';
import { readRooms, refusal } from './rooms.mjs';
import { root } from './root.mjs';

const table = readRooms(root);

/** Checks every import of a file, including types and `import()`, against the table of rooms. */
const rooms = {
  create(context) {
    const from = relative(root, context.filename).split(sep).join('/');
    const check = ({ source }) => {
      const message = typeof source?.value === 'string' ? refusal(table, from, source.value) : null;
      if (message) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};

/** Forbids `export … from`. */
const barrels = {
  create(context) {
    const check = node => {
      if (node.source) context.report({ node, message: 'No barrels: import from the file that has it.' });
    };
    return { ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};

/** Forbids exported variables: bundles bind the names that they share once (boundNames.mjs). */
const constants = {
  create(context) {
    return {
      ExportNamedDeclaration(node) {
        const { declaration } = node;
        if (declaration?.type !== 'VariableDeclaration' || declaration.kind === 'const') return;
        context.report({
          node,
          message: 'Export a function: bundles see only the first value of a variable.',
        });
      },
    };
  },
};

// The linter's interface for plugins is a default export.
export default { meta: { name: 'headroom' }, rules: { rooms, barrels, constants } };
