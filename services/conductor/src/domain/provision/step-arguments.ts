import { type TSchema } from '@sinclair/typebox';

interface StepArgument {
  readonly description: string;
  readonly required: boolean;
  readonly schema: TSchema;
}

/** The arguments that a step takes, by their names. */
export type StepArguments = Readonly<Record<string, StepArgument>>;
