import { Type } from 'typebox'
import { nextCursor, pageQuery, siteNumber } from './fields.schemas.ts'

const count = Type.Integer({ minimum: 0 })

const templateSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    site_id: Type.Unsafe<number | null>({
      ...siteNumber,
      type: ['integer', 'null'],
      description: 'Null for one that can be used on every site.',
    }),
    name: Type.String(),
    max_uses: { ...count, description: '0: any number of devices.' },
    expire_minutes: Type.Integer({ minimum: 1, description: 'Counted from the first use.' }),
    qos: Type.Object({ down_kbps: count, up_kbps: count, quota_mb: count }, { description: '0: no limit.' }),
  },
  { title: 'Template' },
)

export const templatePage = Type.Object({ templates: Type.Array(templateSchema), next_cursor: nextCursor })

export const templateListQuery = Type.Object(
  {
    site_id: Type.Optional({
      ...siteNumber,
      description: 'Those that can be used on this site: its own and those for all. Without it: every site of the key.',
    }),
    ...pageQuery,
    /** It holds a name, which may be 200 characters of 4 bytes. */
    cursor: Type.Optional({ ...pageQuery.cursor, maxLength: 1_200 }),
  },
  { additionalProperties: false },
)
