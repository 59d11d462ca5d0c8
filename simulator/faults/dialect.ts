import type { JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'

/** How one API says what a fault makes it say. */
export type Dialect = {
  refuse(): Reply
  unauthorized(): Reply
  forbidden(): Reply
  notFound(): Reply
  tooMany(): Reply
  serverError(): Reply
  /** An error of what stands in front of the application. */
  gatewayError(status: number): Reply
  /** The right status without a result. */
  empty(): Reply
  rightStatus: number
  /** The text of a right answer up to its list. */
  listOpening: string
  /** The member by which a caller learns of a voucher's code. */
  codeMember: string
  changeVouchers(reply: Reply, change: (voucher: JsonObject) => JsonObject): Reply
}
