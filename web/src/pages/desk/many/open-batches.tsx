import { Loader, Text, UnstyledButton } from '@mantine/core'
import { IconAlertCircle, IconCircleCheck, IconPlayerPause } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Batch } from '../../../../../client/voucher-api.generated.ts'
import { Moment } from '../../../components/moment.tsx'
import { addTexts } from '../../../i18n/i18n.ts'
import { isRunning, lastBatchesQuery } from '../../../queries/batches.ts'
import deskClasses from '../desk.module.css'
import { isOpen } from './batch-data.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

type Props = {
  siteId: number
  timeZone: string
  shownId: string | undefined
  /** Only batches with something left to do. */
  onlyOpen: boolean
  onShow: (id: string) => void
}

/** The last batches of the site, including those of other people and computers. */
export function OpenBatches({ siteId, timeZone, shownId, onlyOpen, onShow }: Props) {
  const { t } = useTranslation()
  const { data = [] } = useQuery(lastBatchesQuery(siteId))
  const batches = onlyOpen ? data.filter(isOpen) : data
  if (batches.length === 0) return null
  return (
    <section aria-label={t('many.lists')} style={{ marginTop: 28 }}>
      <h2 className={deskClasses.sideTitle} style={{ marginBottom: 8 }}>
        {t('many.lists')}
      </h2>
      <ul className={deskClasses.list}>
        {batches.map((batch) => (
          <li key={batch.id}>
            <UnstyledButton
              className={deskClasses.row}
              {...(batch.id === shownId && { 'data-shown': true })}
              onClick={() => onShow(batch.id)}
            >
              <span className={deskClasses.mark}>
                <Mark batch={batch} />
              </span>
              <span style={{ flex: 1, minWidth: 0 }}>
                <Text fw={500} lh="20px">
                  {t('many.batch-title', { count: batch.size })}
                </Text>
                <State batch={batch} />
              </span>
              <Text fz={13} c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                <Moment at={batch.created_at} timeZone={timeZone} />
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

function State({ batch }: { batch: Batch }) {
  const { t } = useTranslation()
  const { made, failed, cancelled, size: count } = batch
  const text = isRunning(batch)
    ? t('many.list-running', { made, count })
    : cancelled > 0
      ? t('many.list-stopped', { made, count })
      : failed > 0
        ? t('many.list-failed', { failed, count })
        : t('many.list-done')
  return (
    <Text fz={13} lh="18px" c={failed > 0 ? 'var(--vs-bad-text)' : 'dimmed'}>
      {text}
    </Text>
  )
}

function Mark({ batch }: { batch: Batch }) {
  if (isRunning(batch))
    return <Loader size={16} {...(batch.held_up_since && { color: 'var(--vs-warn)' })} aria-hidden />
  if (batch.failed > 0) return <IconAlertCircle size={16} color="var(--vs-bad)" aria-hidden />
  if (batch.cancelled > 0) return <IconPlayerPause size={16} color="var(--vs-soft)" aria-hidden />
  return <IconCircleCheck size={16} color="var(--vs-ok)" aria-hidden />
}
