/* JSON: what is read, what is refused and where, and that what is written reads back the same. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/json.h"

static tl_json *parse(tl_json_document *document, const char *text)
{
    tl_json_fault fault;
    *document = (tl_json_document){.root = NULL};
    if (!tl_json_read(document, text, strlen(text), false, &fault))
        fail_msg("%s: %d:%d: %s", text, fault.line, fault.column, fault.reason);
    return document->root;
}

static void refuses(const char *text, int line, int column, const char *reason)
{
    tl_json_document document = {.root = NULL};
    tl_json_fault fault;
    if (tl_json_read(&document, text, strlen(text), false, &fault))
        fail_msg("accepted: %s", text);
    if (fault.line != line || fault.column != column || !strstr(fault.reason, reason))
        fail_msg("%s: %d:%d: %s, expected %d:%d: %s", text, fault.line, fault.column, fault.reason, line, column,
                 reason);
    assert_null(document.root);
    tl_json_release(&document);
}

static void values_are_read_as_they_stand(void **state)
{
    (void)state;
    tl_json_document d;
    const tl_json *root =
        parse(&d, " {\"a\" : [1, -2.5e3,\n0.125], \"b\":{}, \"c\": true, \"d\": null,\n\"e\": \"x\"} ");
    assert_int_equal(tl_json_count(root), 5);
    const tl_json *list = tl_json_get(root, "a");
    assert_int_equal(tl_json_count(list), 3);
    assert_true(list->first->number == 1 && list->first->next->number == -2500 && list->last->number == 0.125);
    assert_int_equal(list->first->line, 1);
    assert_int_equal(list->last->line, 2);
    assert_int_equal(tl_json_count(tl_json_get(root, "b")), 0);
    assert_true(tl_json_get(root, "c")->kind == TL_JSON_BOOL && tl_json_get(root, "c")->number == 1);
    assert_true(tl_json_is(tl_json_get(root, "d"), TL_JSON_NULL));
    assert_string_equal(tl_json_get(root, "e")->text, "x");
    assert_int_equal(tl_json_line(root, "e"), 3);
    assert_int_equal(tl_json_line(root, "a[2]"), 2);
    assert_int_equal(tl_json_line(root, "a[7]"), 1);
    assert_int_equal(tl_json_line(root, "nothing"), 1);
    assert_null(tl_json_get(root, "f"));
    assert_null(tl_json_get(list, "a"));
    assert_null(tl_json_get(NULL, "a"));
    assert_null(tl_json_first(tl_json_get(root, "e")));
    tl_json_release(&d);
}

static void texts_decode_every_escape(void **state)
{
    (void)state;
    tl_json_document d;
    assert_string_equal(parse(&d, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")->text, "\"\\/\b\f\n\r\t");
    tl_json_release(&d);
    assert_string_equal(parse(&d, "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00 é\"")->text, "Aé€😀 é");
    tl_json_release(&d);
    assert_string_equal(parse(&d, "\"\"")->text, "");
    tl_json_release(&d);
}

static void faults_have_a_place_and_a_reason(void **state)
{
    (void)state;
    refuses("", 1, 1, "the end of file");
    refuses("{\"a\": 1,\n \"b\" 2}", 2, 6, "':' expected after a key, found '2'");
    refuses("[1 2]", 1, 4, "']' expected, or a comma before '2'");
    refuses("[1,]", 1, 4, "invalid token ']'");
    refuses("{\"a\": 1,}", 1, 9, "a key in quotes or '}' expected, found '}'");
    refuses("{a: 1}", 1, 2, "found 'a'");
    refuses("{\"é\": nul}", 1, 7, "invalid token 'nul'");
    refuses("[01]", 1, 2, "invalid number '01'");
    refuses("[1.]", 1, 2, "invalid number");
    refuses("[.5]", 1, 2, "invalid token");
    refuses("[+1]", 1, 2, "invalid token");
    refuses("[-]", 1, 2, "invalid number");
    refuses("[1e]", 1, 2, "invalid number");
    refuses("[1e999]", 1, 2, "real number overflow");
    refuses("[1] x", 1, 5, "end of file expected, found 'x'");
    refuses("\"a\nb\"", 1, 1, "a text without closing quote");
    refuses("\"abc", 1, 1, "a text without closing quote");
    refuses("\"abc\\", 1, 5, "invalid escape");
    refuses("\"\t\"", 1, 2, "control character 0x09");
    refuses("\"\\x\"", 1, 2, "invalid escape");
    refuses("\"\\u12g4\"", 1, 2, "four hexadecimal digits");
    refuses("\"\\u12", 1, 2, "four hexadecimal digits");
    refuses("\"\\u0000\"", 1, 2, "\\u0000");
    refuses("\"\\udc00\"", 1, 2, "second half");
    refuses("\"\\ud800\\u0041\"", 1, 2, "first half");
    refuses("\"\\ud800", 1, 2, "first half");
    refuses("\"\xc0\x80\"", 1, 2, "byte 0xc0");         /* longer than needed */
    refuses("\"\xed\xa0\x80\"", 1, 2, "byte 0xed");     /* half of a pair */
    refuses("\"\xf4\x90\x80\x80\"", 1, 2, "byte 0xf4"); /* beyond the last character */
    refuses("\"\xe2\x82\"", 1, 2, "byte 0xe2");         /* cut off */
    refuses("{\"a\": 1, \"b\": 2, \"a\": 3}", 1, 18, "duplicate object key \"a\"");
}

static void text_may_follow_where_it_is_allowed(void **state)
{
    (void)state;
    static const char text[] = "[1, 2]; more";
    tl_json_document d = {.root = NULL};
    assert_true(tl_json_read(&d, text, strlen(text), true, NULL));
    assert_int_equal(tl_json_count(d.root), 2);
    tl_json_release(&d);
    assert_false(tl_json_read(&d, text, strlen(text), false, NULL));
    tl_json_release(&d);
}

static void depth_is_limited(void **state)
{
    (void)state;
    char text[2 * TL_JSON_MAX_DEPTH + 3];
    tl_json_document d = {.root = NULL};
    memset(text, '[', TL_JSON_MAX_DEPTH);
    memset(text + TL_JSON_MAX_DEPTH, ']', TL_JSON_MAX_DEPTH);
    assert_true(tl_json_read(&d, text, 2 * TL_JSON_MAX_DEPTH, false, NULL));
    tl_json_release(&d);
    memset(text, '[', TL_JSON_MAX_DEPTH + 1);
    memset(text + TL_JSON_MAX_DEPTH + 1, ']', TL_JSON_MAX_DEPTH + 1);
    assert_false(tl_json_read(&d, text, 2 * TL_JSON_MAX_DEPTH + 2, false, NULL));
    tl_json_release(&d);
}

/* Objects of every size around the one from which keys are hashed, and a large one. */
static void members_are_found_in_objects_of_any_size(void **state)
{
    (void)state;
    static const int sizes[] = {1, 7, 8, 9, 16, 17, 50000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        tl_json_document d = {.root = NULL};
        tl_json *object = tl_json_new(&d, TL_JSON_OBJECT);
        char key[32];
        for (int k = 0; k < sizes[s]; ++k) {
            snprintf(key, sizeof key, "key %d", k);
            tl_json_put(&d, object, key, tl_json_number(&d, k));
        }
        tl_json_put(&d, object, "key 0", tl_json_text(&d, "replaced"));
        assert_false(d.failed);
        assert_int_equal(tl_json_count(object), sizes[s]);
        size_t length = 0;
        char *text = tl_json_write(object, 0, &length);
        tl_json_document again = {.root = NULL};
        assert_true(tl_json_read(&again, text, length, false, NULL));
        assert_string_equal(tl_json_first(again.root)->text, "replaced"); /* in its place */
        for (int k = 1; k < sizes[s]; ++k) {
            snprintf(key, sizeof key, "key %d", k);
            assert_true(tl_json_get(again.root, key)->number == k);
        }
        assert_null(tl_json_get(again.root, "key -1"));
        tl_json_release(&again);
        free(text);
        tl_json_release(&d);
    }
}

static void what_is_written_reads_back_the_same(void **state)
{
    (void)state;
    tl_json_document d = {.root = NULL}, again = {.root = NULL};
    tl_json *root = tl_json_new(&d, TL_JSON_OBJECT), *list = tl_json_new(&d, TL_JSON_LIST);
    tl_json_put(&d, root, "quote \" \\ \n \x01 é", list);
    tl_json_append(&d, list, tl_json_integer(&d, INT32_MAX));
    tl_json_append(&d, list, tl_json_number(&d, 0.1));
    tl_json_append(&d, list, tl_json_number(&d, FLT_MAX));
    tl_json_append(&d, list, tl_json_bool(&d, false));
    tl_json_append(&d, list, tl_json_new(&d, TL_JSON_NULL));
    tl_json_append(&d, list, tl_json_new(&d, TL_JSON_OBJECT));
    tl_json_append(&d, list, tl_json_numbers(&d, (const double[]){1, 2, 3}, 3));
    size_t length = 0;
    char *text = tl_json_write(root, 120, &length);
    assert_int_equal(strlen(text), length);
    assert_non_null(strstr(text, "2147483647, 0.1, "));
    assert_non_null(strstr(text, "false, null, {}, [1, 2, 3]]"));
    assert_true(tl_json_read(&again, text, length, false, NULL));
    const tl_json *member = tl_json_first(again.root);
    assert_string_equal(member->key, "quote \" \\ \n \x01 é");
    assert_int_equal(tl_json_count(member), 7);
    assert_true((float)member->first->next->next->number == FLT_MAX);
    free(text);
    text = tl_json_write(root, 20, &length); /* too narrow: a line for each, but for what fits */
    assert_non_null(strstr(text, "[\n    2147483647,\n    0.1,\n"));
    assert_non_null(strstr(text, "\n    [1, 2, 3]\n"));
    free(text);
    tl_json_release(&again);
    tl_json_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_as_they_stand),
        cmocka_unit_test(texts_decode_every_escape),
        cmocka_unit_test(faults_have_a_place_and_a_reason),
        cmocka_unit_test(text_may_follow_where_it_is_allowed),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(members_are_found_in_objects_of_any_size),
        cmocka_unit_test(what_is_written_reads_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
