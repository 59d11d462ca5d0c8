/** Slips were not drawn. The cause is for the log. */
export class DrawingFailed extends Error {
  constructor(cause: string) {
    super(`slips could not be drawn: ${cause}`)
  }
}
