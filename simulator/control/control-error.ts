/** Thrown by a control handler: the test that called it has a mistake. */
export class ControlError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
