import { Type } from 'typebox'
import { findHold, type Hold } from '#domain/hold.queries.ts'
import { isoOrNull, timeOrNull } from './kit/fields.ts'
import { operation } from './kit/operation.ts'

export const getHold = operation({
  method: 'GET',
  path: '/hold',
  operationId: 'getHold',
  summary: 'Get whether the service is held. While it is held, it creates and revokes no vouchers',
  scope: 'manage',
  role: 'manager',
  status: 200,
  answer: Type.Object(
    {
      reason: Type.Unsafe<Hold['reason'] | null>({
        type: ['string', 'null'],
        enum: ['restored', 'command', 'trial', null],
        description:
          '`restored`: a backup was restored. `command`: somebody held the service. `trial`: the data of another system were imported, and it still works.',
      }),
      held_since: { ...timeOrNull, description: 'When the hold began. Null if the service is not held.' },
      backup_taken_at: {
        ...timeOrNull,
        description: 'When the restored backup was taken. Null if no restored backup caused the hold.',
      },
    },
    { title: 'Hold' },
  ),
  async handle({ db }) {
    const hold = await findHold(db)
    return {
      reason: hold?.reason ?? null,
      held_since: isoOrNull(hold?.since ?? null),
      backup_taken_at: isoOrNull(hold?.backupTakenAt ?? null),
    }
  },
})
