import { defaultPageSize, filterFields, limits, maxPageSize, orderingFields } from '@snippets/domain/rules.js'

/** What a client may want to know before it asks. */
export const config = {
  page_size: defaultPageSize,
  max_page_size: maxPageSize,
  limits,
  filter_fields: filterFields,
  ordering_fields: orderingFields,
}
