import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { GuestInfo, Site, Template } from '../../../../../client/voucher-api.generated.ts'
import { addTexts } from '../../../i18n/i18n.ts'
import { lastBatchesQuery, useReloadLastBatches } from '../../../queries/batches.ts'
import { usePerson } from '../../../session.tsx'
import { isOpen, rememberLeft, usePendingBatch, wasLeft } from './batch-data.ts'
import { BatchPanel } from './batch-panel.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { countWrongRows, forgetCreated, ManyForm } from './many-form.tsx'

addTexts({ de, en })

type Props = {
  site: Site
  guestInfo: GuestInfo
  templates: Template[]
  /** The id of a batch, `new` for an empty form, or `open` for the batch that has something left to do, if there is one. */
  many: string
  onShow: (many: string) => void
}

/** Many vouchers at once: the form, or a batch and its progress. */
export function ManyPart({ site, guestInfo, templates, many, onShow }: Props) {
  const { store, pending } = usePendingBatch()
  const { id: personId } = usePerson()
  const reloadLastBatches = useReloadLastBatches()
  const { data: batches, error } = useQuery(lastBatchesQuery(site.id))
  const made = pending?.status.kind === 'made' ? pending.status.batchId : undefined
  const open = batches?.find((batch) => isOpen(batch) && !wasLeft(batch.id))
  const next = made ?? (many === 'open' && pending === null ? open?.id : undefined)
  useEffect(() => {
    if (next === undefined) return
    if (made) {
      forgetCreated(personId, site.id)
      store.settle()
      reloadLastBatches()
    }
    onShow(next)
  }, [next, made, store, personId, site.id, onShow])

  if (many !== 'open' && many !== 'new')
    return (
      <BatchPanel
        key={many}
        id={many}
        site={site}
        guestInfo={guestInfo}
        wrongRows={countWrongRows(personId, site.id, guestInfo)}
        onNew={() => {
          rememberLeft(many)
          onShow('new')
        }}
      />
    )
  if (many === 'open' && !batches && !error && pending === null) return null // the form would flash before the batch
  return <ManyForm site={site} guestInfo={guestInfo} templates={templates} store={store} pending={pending} />
}
