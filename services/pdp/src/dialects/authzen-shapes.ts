import { type Static, Type } from '@sinclair/typebox';

const Word = Type.String({ minLength: 1, maxLength: 255 });
const Properties = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown());
/** Unknown members are accepted, because newer versions of AuthZEN may add some. */
const open = { additionalProperties: true };

export const Entity = Type.Object(
  { type: Word, id: Type.String({ maxLength: 255 }), properties: Type.Optional(Properties) },
  open,
);
export type Entity = Static<typeof Entity>;

const ActionEntity = Type.Object({ name: Word, properties: Type.Optional(Properties) }, open);
const Context = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown());

/** One access evaluation of AuthZEN 1.0. */
export const Evaluation = Type.Object(
  { subject: Entity, action: ActionEntity, resource: Entity, context: Type.Optional(Context) },
  open,
);
export type Evaluation = Static<typeof Evaluation>;

const PartOfEvaluation = Type.Partial(Evaluation, open);

/** Several evaluations, with defaults for all of them. */
export const Evaluations = Type.Object(
  {
    ...PartOfEvaluation.properties,
    evaluations: Type.Optional(Type.Array(PartOfEvaluation, { maxItems: 1000 })),
    options: Type.Optional(
      Type.Object(
        {
          evaluations_semantic: Type.Optional(
            Type.Union([
              Type.Literal('execute_all'),
              Type.Literal('deny_on_first_deny'),
              Type.Literal('permit_on_first_permit'),
            ]),
          ),
        },
        open,
      ),
    ),
  },
  open,
);
export type Evaluations = Static<typeof Evaluations>;

const Page = Type.Object(
  {
    token: Type.Optional(Type.String({ maxLength: 32 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  },
  open,
);
export type Page = Static<typeof Page>;

/** The entity to search for: it has a type, and no id. */
const Sought = Type.Object({ type: Word, properties: Type.Optional(Properties) }, open);
const paged = { context: Type.Optional(Context), page: Type.Optional(Page) };

export const SubjectSearch = Type.Object(
  { subject: Sought, action: ActionEntity, resource: Entity, ...paged },
  open,
);
export const ResourceSearch = Type.Object(
  { subject: Entity, action: ActionEntity, resource: Sought, ...paged },
  open,
);
export const ActionSearch = Type.Object({ subject: Entity, resource: Entity, ...paged }, open);
