import { Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo } from '../../../../../client/voucher-api.generated.ts'
import { ChoiceField } from '../../../components/choice-field.tsx'
import { showFailure } from '../../../components/show-failure.ts'
import { updateGuestInfo } from '../../../queries/guest-info.ts'
import { useUnsavedMark } from '../unsaved.ts'
import { LanguagesPanel } from './languages-panel.tsx'
import { LinesPanel } from './lines-panel.tsx'
import { PreviewPanel, type PreviewPaper, previewPapers } from './preview-panel.tsx'
import { type SlipValues, slipChange, toSlipValues } from './slip-values.ts'
import classes from './slips.module.css'

type Props = {
  site: { id: number; name: string }
  stored: GuestInfo
  picker: ReactNode
  /** Undefined: nothing was changed. */
  draft: SlipValues | undefined
  onDraft: (draft: SlipValues) => void
}

export function SlipEditor({ site, stored, picker, draft, onDraft }: Props) {
  const { t } = useTranslation()
  const [paper, setPaper] = useState<PreviewPaper>('80mm')
  const before = toSlipValues(stored)
  const values = draft ?? before
  const change = slipChange(before, values)
  useUnsavedMark(change !== undefined)
  const save = useMutation({
    ...updateGuestInfo(site.id),
    onSuccess: (saved) => {
      onDraft(toSlipValues(saved))
      notifications.show({ message: t('slips.saved') })
    },
    onError: (error) => showFailure(t, error),
  })
  const set = (changed: Partial<SlipValues>) => onDraft({ ...values, ...changed })
  return (
    <div className={classes.page}>
      <Stack gap={16}>
        <div className={classes.choices}>
          {picker}
          <ChoiceField
            className={classes.papers ?? ''}
            label={t('slips.paper')}
            data={previewPapers.map((value) => ({ value, label: t(`slips.paper-${value}`) }))}
            value={paper}
            onChange={setPaper}
          />
        </div>
        <LinesPanel site={site} stored={stored} values={values} set={set} />
        <LanguagesPanel values={values} set={set} />
      </Stack>
      <PreviewPanel
        siteId={site.id}
        paper={paper}
        values={values}
        isSaving={save.isPending}
        onSave={() => (change ? save.mutate(change) : notifications.show({ message: t('slips.saved') }))}
      />
    </div>
  )
}
