// What a screen is.

export interface Screen {
  readonly element: HTMLElement;
  /** It is shown, perhaps with another item than before. */
  show(item: string): void;
  hide?(): void;
  /** One step on or back, if it has steps. The answer says whether it did anything. */
  step?(by: number): boolean;
}
