// Two rules of oxlint, so that a file reads from the top: what it exports comes first, its helpers follow.
const isFunction = (node) => node?.type === 'ArrowFunctionExpression';

/** The statement itself, or what it exports. */
const declared = (statement) =>
  statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;

/** The name of the function that a statement declares with `const`, unless the constant has a type of its own. */
const constantFunction = (node) => {
  const [only, ...more] = node?.type === 'VariableDeclaration' ? node.declarations : [];
  const isPlain = only !== undefined && more.length === 0 && !only.id.typeAnnotation;
  return isPlain && isFunction(only.init) ? only : undefined;
};

const functionDeclaration = {
  meta: { type: 'suggestion' },
  create: (context) => ({
    Program({ body }) {
      for (const statement of body) {
        const constant = constantFunction(declared(statement));
        if (constant?.init.body.type === 'BlockStatement')
          context.report({
            node: constant.id,
            message: `Declare ${constant.id.name} as a function: declarations hoist, so helpers can follow what uses them.`,
          });
      }
    },
  }),
};

const exportsFirst = {
  meta: { type: 'suggestion' },
  create: (context) => ({
    Program({ body }) {
      let helper;
      for (const statement of body) {
        const isDeclaration = declared(statement)?.type === 'FunctionDeclaration';
        const isExported = statement !== declared(statement);
        if (isDeclaration && !isExported) helper ??= statement;
        if (isDeclaration && isExported && helper !== undefined)
          context.report({
            node: statement.declaration.id,
            message: `Move this exported function above the helper ${helper.id.name}.`,
          });
      }
    },
  }),
};

export default {
  meta: { name: 'reading-order' },
  rules: { 'exports-first': exportsFirst, 'function-declaration': functionDeclaration },
};
