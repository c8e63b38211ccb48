/*
 * A list whose links are part of the things that it links: adding one allocates nothing, and one is
 * removed without a search. A list is a pointer to its first item; `link` is the member that an
 * item has for it, declared by RL_LINK() and all zero before.
 */
#ifndef RL_LIST_H
#define RL_LIST_H

/* `from`: what points to the item; NULL: it is in no list. */
#define RL_LINK(type, link) \
 struct { \
  type *next, **from; \
 } link

/* At the front. */
#define RL_LIST_ADD(first, item, link) \
 do { \
  (item)->link.next = *(first); \
  (item)->link.from = (first); \
  if ((item)->link.next) { \
   (item)->link.next->link.from = &(item)->link.next; \
  } \
  *(first) = (item); \
 } while (0)

/* Does nothing if it is in no list. */
#define RL_LIST_REMOVE(item, link) \
 do { \
  if ((item)->link.from) { \
   *(item)->link.from = (item)->link.next; \
   if ((item)->link.next) { \
	(item)->link.next->link.from = (item)->link.from; \
   } \
   (item)->link.from = NULL; \
  } \
 } while (0)

#endif
