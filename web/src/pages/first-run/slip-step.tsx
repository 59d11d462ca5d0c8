import { Checkbox, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site } from '../../../../client/voucher-api.generated.ts'
import { GuestInfoForm } from '../../components/guest-info/guest-info-form.tsx'
import { guestInfoForm, toGuestInfo, withBrowserValues } from '../../components/guest-info/guest-info-values.ts'
import { SlipPreview } from '../../components/guest-info/slip-preview.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import type { GuestInfoToSave } from '../../queries/guest-info.ts'
import { type SetupState, saveSlips } from '../../queries/setup.ts'
import classes from './first-run-frame.module.css'
import { Heading, NextButton, SideLink } from './step-parts.tsx'

/** The sites that have these values already. After a failure the next attempt saves only the others. */
type Saved = { change: GuestInfoToSave; ids: number[] }

/** The form for the facts on the slip, with a live preview. Time zone and languages are at first those of the browser. */
export function SlipStep({ state, onDone }: { state: SetupState; onDone: () => void }) {
  const { t } = useTranslation()
  const { sites } = state
  const site = (sites.find(({ active }) => active) ?? sites[0]) as Site
  const stored = state.guestInfo as GuestInfo
  const [isForAll, setIsForAll] = useState(true)
  const [saved, setSaved] = useState<Saved>()
  // The step counts as done when this site has its values, so this site is saved last.
  const ordered = [...(isForAll ? sites.filter(({ id }) => id !== site.id) : []), site].map(({ id }) => id)
  const savedFor = (change: GuestInfoToSave) => (saved && isSame(saved.change, change) ? saved.ids : [])
  const save = saveSlips({
    start: (change) => {
      const before = savedFor(change)
      setSaved({ change, ids: before })
      return ordered.filter((id) => !before.includes(id))
    },
    onSaved: (id) => setSaved((old) => old && { ...old, ids: [...old.ids, id] }),
  })
  const first = guestInfoForm(t, stored)
  const { form, element, isSaving, error } = useSaveForm({
    ...first,
    initialValues: withBrowserValues(first.initialValues, stored),
    toFields: toGuestInfo,
    create: save,
    onSaved: onDone,
  })
  const skip = useMutation({ ...save, onSuccess: onDone })
  const isPending = isSaving || skip.isPending
  const failure = error ?? skip.error
  const done = ordered.filter((id) => savedFor(toGuestInfo(form.values)).includes(id)).length
  const { guest_languages, time_zone } = form.values
  return (
    <>
      <Heading title={t('setup.slip')} text={t('setup.slip-text')} />
      <div className={classes.columns}>
        <form {...element}>
          <Stack gap={20}>
            <GuestInfoForm form={form} stored={stored} />
            {sites.length > 1 && (
              <Checkbox
                label={t('setup.for-all', { count: sites.length })}
                checked={isForAll}
                onChange={(event) => setIsForAll(event.currentTarget.checked)}
              />
            )}
            {failure && <ErrorMessage error={failure} />}
            {ordered.length > 1 && (isPending || (failure && done > 0)) && (
              <div>
                <Progress value={(100 * done) / ordered.length} aria-hidden />
                <Text fz={13} c="dimmed" mt={4} role="status">
                  {t(isPending ? 'setup.saving' : 'setup.saved-partly', { done, count: ordered.length })}
                </Text>
              </div>
            )}
            <Group gap="lg">
              <NextButton isLoading={isPending} />
              <SideLink onClick={() => !isPending && skip.mutate({ guest_languages, time_zone: time_zone || null })}>
                {t('setup.skip')}
              </SideLink>
            </Group>
          </Stack>
        </form>
        <div className={classes.beside}>
          <SlipPreview siteName={site.name} values={form.values} stored={stored} />
        </div>
      </div>
    </>
  )
}

function isSame(a: GuestInfoToSave, b: GuestInfoToSave): boolean {
  return a.logo === b.logo && JSON.stringify(a) === JSON.stringify(b)
}
