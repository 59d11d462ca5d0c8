import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { showFailure } from '../../../components/show-failure.ts'
import { templateName } from '../../../components/voucher/voucher-words.ts'
import { useRowOrder } from '../../../hooks/use-row-order.ts'
import { moveTemplate } from '../../../queries/templates.ts'
import { placeAfterMove } from './place-after-move.ts'

/** Moves templates. The table shows the new order at once. */
export function useTemplateOrder(templates: Template[], siteId: number | undefined) {
  const { t } = useTranslation()
  const { mutate } = useMutation({ ...moveTemplate(siteId), onError: (error) => showFailure(t, error) })
  return useRowOrder({
    ids: templates.map(({ id }) => id),
    onMove: (id, to) => {
      const moved = placeAfterMove(templates, id, to)
      if (moved) mutate(moved)
    },
    wordsOf: (id, place) => {
      const template = templates.find((one) => one.id === id)
      return t('settings.moved', { name: template && templateName(t, template), ...place })
    },
  })
}
