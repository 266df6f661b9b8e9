/** Ends what a fault began. */
export type Undo = () => void | Promise<void>;

/** Of a fault that is over as soon as it began. */
export const nothing: Undo = () => undefined;
