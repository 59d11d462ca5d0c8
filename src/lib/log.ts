type Write = (fields: object, message: string) => void

/** The part of the logger that background work uses. `fields` go into the log line beside the message. */
export type Log = { info: Write; warn: Write; error: Write }
