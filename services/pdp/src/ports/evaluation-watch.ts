/** Told when an evaluation begins and ends, so that one which never ends is noticed from outside this thread. */
export interface EvaluationWatch {
  readonly begin: () => void;
  readonly end: () => void;
}
