import { Button, Menu, Paper, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SlipPreview, SlipPreviewRequest } from '../../../../../client/voucher-api.generated.ts'
import { MoreMenu } from '../../../components/more-menu.tsx'
import { Notice } from '../../../components/notice.tsx'
import { showFailure } from '../../../components/show-failure.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useLayout } from '../../../hooks/use-layout.ts'
import { slipPreviewQuery } from '../../../queries/slip-preview.ts'
import { type SlipValues, slipToDraw } from './slip-values.ts'
import classes from './slips.module.css'

export const previewPapers = ['a4', 'a5', '80mm', '58mm', '62x100mm'] as const
export type PreviewPaper = (typeof previewPapers)[number]

/** How much of the width printers reach, in millimetres. */
const printedWidth: Partial<Record<PreviewPaper, number>> = { '80mm': 72, '58mm': 48 }

/** Waits until somebody stops changing. */
const pauseMs = 250

type Props = {
  siteId: number
  paper: PreviewPaper
  values: SlipValues
  isSaving: boolean
  onSave: () => void
}

/** The slip as the service draws it, with what is not saved yet. */
export function PreviewPanel({ siteId, paper, values, isSaving, onSave }: Props) {
  const { t } = useTranslation()
  const [hasLongName, setHasLongName] = useState(false)
  const [hasCards, setHasCards] = useState(true)
  const wanted: SlipPreviewRequest = {
    paper: paper === 'a4' && hasCards ? 'a4-cards' : paper,
    ...slipToDraw(values),
    long_name: hasLongName,
  }
  const [settled] = useDebouncedValue(JSON.stringify(wanted), pauseMs)
  const drawn = useQuery(slipPreviewQuery(siteId, JSON.parse(settled)))
  const { error, refetch, isFetching } = drawn
  // The last picture stays until the new one is there, also after a failure.
  const last = useRef(drawn.data)
  if (drawn.data) last.current = drawn.data
  const data = last.current
  // On a phone, the panel is below the choices, so the button is at the end of the page.
  const isPhone = useLayout() === 'phone'
  const save = (
    <Button fullWidth={isPhone} loading={isSaving} onClick={onSave}>
      {t('slips.save')}
    </Button>
  )
  return (
    <Paper component="section" withBorder radius="lg" className={classes.preview ?? ''} aria-label={t('slips.preview')}>
      <div className={classes.previewHead}>
        <Text fz={13.5} c="dimmed" role="status" className={classes.size ?? ''}>
          {data && sizeWords(t, data, printedWidth[paper])}
        </Text>
        <MoreMenu label={t('slips.sample')}>
          <Menu.CheckboxItem checked={hasLongName} onChange={setHasLongName}>
            {t('slips.long-name')}
          </Menu.CheckboxItem>
          {paper === 'a4' && (
            <Menu.CheckboxItem checked={hasCards} onChange={setHasCards}>
              {t('slips.cards')}
            </Menu.CheckboxItem>
          )}
        </MoreMenu>
        <Button
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          disabled={!data}
          onClick={() => data && void printOne(data).catch((failure) => showFailure(t, failure))}
        >
          {t('slips.print-one')}
        </Button>
        {!isPhone && save}
      </div>
      <div className={classes.stage} aria-busy={isFetching}>
        {data ? <Picture preview={data} paper={paper} /> : !error && <Skeleton w={300} h={460} />}
      </div>
      {error && (
        <div className={classes.notices}>
          <ErrorMessage error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data && data.missing.length > 0 && (
        <div className={classes.notices}>
          <Notice tone="warn" title={t('slips.missing')}>
            {data.missing.map(({ line, letters }) => (
              <div key={line}>
                {t('slips.missing-in', { line: t(`slips.line-${line}`) })} <bdi>{letters.join(' ')}</bdi>
              </div>
            ))}
          </Notice>
        </div>
      )}
      {isPhone && <div className={classes.save}>{save}</div>}
    </Paper>
  )
}

const urlOf = ({ image }: SlipPreview) => `data:image/png;base64,${image}`

function Picture({ preview, paper }: { preview: SlipPreview; paper: PreviewPaper }) {
  const { t } = useTranslation()
  const { width_mm: width, height_mm: height } = preview
  return (
    <div className={classes.measured}>
      <div className={classes.length} aria-hidden>
        <span>{t('slips.mm', { length: height })}</span>
      </div>
      <img
        className={classes.picture}
        data-paper={paper}
        style={{ aspectRatio: `${width} / ${height}` }}
        src={urlOf(preview)}
        alt={t('slips.picture', { width, height })}
      />
    </div>
  )
}

function sizeWords(
  t: TFunction,
  { width_mm: width, height_mm: height }: SlipPreview,
  printed: number | undefined,
): string {
  const size = t('slips.size', { width, height })
  return printed === undefined ? size : `${size} · ${t('slips.printed', { width: printed })}`
}

async function printOne(preview: SlipPreview): Promise<void> {
  const { printPicture } = await import('../../../print/print-picture.ts')
  await printPicture(urlOf(preview), { widthMm: preview.width_mm, heightMm: preview.height_mm })
}
