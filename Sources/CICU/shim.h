#include <unicode/ubrk.h>
#include <unicode/ucol.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utrans.h>

// ICU's functions carry their version in their names, which macros hide: Swift sees no macros.

static inline UCollator *icu_collator_open(const char *locale, UErrorCode *error) { return ucol_open(locale, error); }
static inline void icu_collator_close(UCollator *collator) { ucol_close(collator); }
static inline void icu_collator_version(const UCollator *collator, uint8_t *version) { ucol_getVersion(collator, version); }
static inline int32_t icu_sort_key(const UCollator *collator, const UChar *text, int32_t length, uint8_t *key, int32_t capacity) { return ucol_getSortKey(collator, text, length, key, capacity); }
static inline const UNormalizer2 *icu_case_folding(UErrorCode *error) { return unorm2_getNFKCCasefoldInstance(error); }
static inline int32_t icu_fold(const UNormalizer2 *folding, const UChar *text, int32_t length, UChar *folded, int32_t capacity, UErrorCode *error) { return unorm2_normalize(folding, text, length, folded, capacity, error); }
static inline void icu_from_utf8(UChar *text, int32_t capacity, int32_t *length, const char *bytes, int32_t count, UErrorCode *error) { u_strFromUTF8WithSub(text, capacity, length, bytes, count, 0xFFFD, NULL, error); }
static inline void icu_to_utf8(char *bytes, int32_t capacity, int32_t *count, const UChar *text, int32_t length, UErrorCode *error) { u_strToUTF8WithSub(bytes, capacity, count, text, length, 0xFFFD, NULL, error); }
static inline UTransliterator *icu_transliterator_open(const UChar *id, int32_t length, UErrorCode *error) { return utrans_openU(id, length, UTRANS_FORWARD, NULL, 0, NULL, error); }
static inline void icu_transliterator_close(UTransliterator *transliterator) { utrans_close(transliterator); }
static inline void icu_transliterate(const UTransliterator *transliterator, UChar *text, int32_t *length, int32_t capacity, UErrorCode *error) { int32_t limit = *length; utrans_transUChars(transliterator, text, length, capacity, 0, &limit, error); }
static inline UBreakIterator *icu_words_open(const char *locale, UErrorCode *error) { return ubrk_open(UBRK_WORD, locale, NULL, 0, error); }
static inline void icu_words_close(UBreakIterator *words) { ubrk_close(words); }
static inline int32_t icu_first_word(UBreakIterator *words, const UChar *text, int32_t length, UErrorCode *error) { ubrk_setText(words, text, length, error); return ubrk_first(words) == UBRK_DONE ? 0 : ubrk_next(words); }
