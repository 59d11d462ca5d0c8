/** What a client knows of one attempt. A lost answer is unknown, never a failure. */
export type Attempt = {
  op: number
  kind: 'create' | 'list' | 'forbidden' | 'invalid' | 'limited'
  site: number
  name: string
  idempotencyKey: string | undefined
  startedAt: number
  endedAt: number
  status: number | 'unknown'
  code: string | undefined
  /** Of a list: whether the code was in it that its client had been given before. */
  listed?: boolean
}

/** A guest who checked in and out. The revocation is undefined until it is accepted. */
export type Stay = { op: number; site: number; name: string; revocation: string | undefined }

/** The state of the record and the controllers when all work has ended. */
export type Aftermath = {
  /** Revocations that have not ended. */
  openRevocations: Set<string>
  recorded: {
    siteId: number
    id: string
    code: string
    status: string
    creationId: string | null
    batchId: string | null
  }[]
  /** By site: what is on its controller. */
  onControllers: Map<number, { code: string; name: string; isOurs: boolean }[]>
  /** Codes of vouchers that other administrators made and that were deleted. */
  deletedOfOthers: string[]
  /** By site: how many vouchers it reports that seem to be ours and are not recorded. Zero is expected elsewhere. */
  reported: Map<number, number>
  /** Ids of vouchers in notifications that the sink acknowledged. */
  notified: Set<string>
  unsettled: number
  /** By id. */
  batches: Map<string, { finished: boolean; size: number; made: number; failed: number }>
  /** Names of vouchers that any controller was asked for. */
  askedNames: Set<string>
}

export type LimitedKey = { limit: number; windows: number; storeLosses: number }
