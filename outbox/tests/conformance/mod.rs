//! What every store does. Each case begins with a store that is empty, and with a clock that only the case moves.

pub mod batches;
pub mod bench;
pub mod checks;
pub mod claims;
pub mod holds;
pub mod records;
pub mod settling;
pub mod times;
pub mod transitions;

/// Passes every case to a macro.
macro_rules! each_case {
    ($then:ident) => {
        $then! {
            transitions::every_action_moves_a_request_from_the_states_that_it_may_and_from_no_other,
            records::the_same_record_twice_is_one_and_another_content_is_told,
            records::the_same_record_twice_in_one_call_is_one,
            records::a_record_that_was_dropped_makes_room_for_a_corrected_one,
            records::a_key_is_business_operation_and_identifier,
            records::requests_without_an_identifier_are_never_the_same,
            records::requests_are_found_by_number_identifier_and_state,
            records::text_is_kept_as_it_is,
            records::decisions_are_kept_with_who_when_and_why,
            claims::requests_of_a_business_leave_in_the_order_in_which_they_were_added,
            claims::businesses_take_turns,
            claims::one_batch_of_a_business_is_under_way_at_a_time,
            claims::income_and_expenses_travel_together_and_other_records_on_their_own,
            claims::a_batch_has_at_most_so_many_records,
            claims::a_batch_has_at_most_so_many_bytes_and_a_giant_travels_alone,
            claims::a_business_without_an_address_is_parked_and_stops_nobody,
            claims::claims_at_the_same_time_never_return_a_request_twice,
            holds::a_reset_waits_for_what_is_not_known_before_it,
            holds::nothing_follows_a_reset_whose_fate_is_not_known,
            holds::a_batch_ends_where_a_reset_whose_fate_is_not_known_stands,
            holds::a_business_that_failed_waits_and_others_do_not,
            holds::an_outcome_ends_the_wait_of_a_business,
            holds::a_pause_of_everything_ends_at_its_time,
            holds::a_pause_of_a_business_leaves_others_alone_and_ends_when_a_person_says_so,
            holds::a_pause_gets_longer_and_never_shorter,
            settling::a_batch_moves_as_one,
            settling::an_answer_does_not_undo_what_a_callback_did,
            settling::an_answer_to_an_earlier_attempt_changes_nothing,
            settling::an_answer_that_is_stored_twice_changes_nothing_more,
            settling::a_request_that_is_queued_again_is_the_first_again,
            settling::requests_that_could_not_be_sent_often_enough_are_parked,
            settling::requests_of_a_batch_that_was_refused_travel_alone,
            settling::the_failure_of_a_batch_leaves_each_of_its_requests_unknown,
            settling::a_callback_that_is_delivered_twice_changes_nothing_more,
            settling::a_callback_of_somebody_else_is_foreign,
            settling::a_verdict_can_pause_everything,
            batches::a_batch_of_which_all_are_accepted_does_not_become_unconfirmed,
            batches::what_was_queued_again_travels_with_what_was_never_sent,
            batches::a_batch_is_removed_after_its_time_except_for_what_is_not_known,
            batches::each_step_is_counted,
            batches::a_decision_about_one_request_leaves_the_others_of_its_batch,
            batches::a_batch_that_all_have_left_is_not_waited_for,
            batches::a_callback_after_the_confirmation_changes_nothing,
            batches::the_callback_of_an_earlier_batch_leaves_what_was_sent_again,
            batches::a_confirmed_batch_is_removed_after_its_time_so_many_requests_at_once,
            checks::what_a_pull_returns_is_confirmed,
            checks::what_two_pulls_do_not_return_is_absent_and_waits_for_a_person,
            checks::what_two_pulls_do_not_return_is_sent_again_if_that_is_asked_for,
            checks::a_pull_says_nothing_about_what_became_unknown_after_it_began,
            checks::a_pull_that_is_not_answered_is_due_again,
            checks::a_pull_is_begun_once_and_not_before_it_is_due,
            checks::a_pull_that_failed_says_nothing,
            checks::nothing_is_pulled_during_a_pause,
            times::what_a_process_left_sending_is_unknown_and_its_business_goes_on,
            times::what_is_taken_is_unconfirmed_after_its_time,
            times::requests_are_removed_after_the_time_of_their_state,
            times::a_callback_is_known_for_as_long_as_its_address_is_valid,
        }
    };
}
pub(crate) use each_case;
